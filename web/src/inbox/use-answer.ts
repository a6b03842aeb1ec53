import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { Approval, Decide, Page, TaskDetail } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { keys } from '../api/queries.ts'

/** Answers a question. Whoever was later is shown what won. */
export function useAnswer(approval: Approval) {
  const client = useQueryClient()
  const settle = (settled: Approval) => {
    const change = (one: Approval) => (one.id === settled.id ? settled : one)
    client.setQueryData(keys.approval(settled.id), settled)
    client.setQueryData<Page<Approval>>(
      keys.open,
      (page) => page && { ...page, items: page.items.map(change) },
    )
    client.setQueryData<TaskDetail>(
      keys.task(settled.taskId),
      (detail) => detail && { ...detail, approvals: detail.approvals.map(change) },
    )
  }
  return useMutation({
    mutationFn: (decide: Decide) => calls.approvals.answer(approval.id, decide),
    onSuccess: settle,
    onError: (error) => {
      const won =
        error instanceof ApiError && error.code === 'approval-settled' ? error.details.approval : null
      if (won) settle(won as Approval)
    },
  })
}
