import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import * as calls from '../api/calls.ts'
import type { Notice } from '../api/contract.ts'
import { useNotices } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { OutputBlock } from '../ui/output-block.tsx'
import { Coming, Empty, Panel } from '../ui/panel.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { Ago } from '../ui/time.tsx'

const LOOKS: Readonly<Record<Notice['status'], readonly [string, string]>> = {
  pending: [TONES.busy, 'to be sent'],
  sent: [TONES.good, 'sent'],
  dead: [TONES.bad, 'given up'],
  no_target: [TONES.calm, 'nobody to tell'],
}

export function NoticesPanel() {
  const { data, error } = useNotices()
  const told = data?.items.filter(({ status }) => status !== 'no_target')
  const untold = (data?.items.length ?? 0) - (told?.length ?? 0)
  return (
    <Panel title="Notifications">
      <ErrorNote error={error} />
      {!data && !error && <Coming />}
      {told?.length === 0 && (
        <Empty title="Nobody was told anything yet">
          When a task needs somebody or ends, its targets are told, and each attempt is here.
        </Empty>
      )}
      <ul className="divide-y divide-line">
        {told?.map((notice) => (
          <NoticeRow key={notice.id} notice={notice} />
        ))}
      </ul>
      {untold > 0 && (
        <p className="border-t border-line px-4 py-2.5 text-[13px] text-soft">
          {untold} more had nobody to tell: name targets in the settings, or with a task.
        </p>
      )}
    </Panel>
  )
}

function NoticeRow({ notice }: { readonly notice: Notice }) {
  const [dryRun, setDryRun] = useState<unknown>(null)
  const retry = useMutation({
    mutationFn: () => calls.system.retryNotice(notice.id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['notices'] }),
  })
  const look = useMutation({ mutationFn: () => calls.system.dryRunNotice(notice.id), onSuccess: setDryRun })
  const [tone, text] = LOOKS[notice.status] ?? [TONES.calm, notice.status]
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
        <span className="min-w-0 flex-1 truncate">{notice.title}</span>
        <span className="text-xs text-soft">
          {notice.target} · <Ago at={notice.createdAt} />
          {notice.attempts > 1 && ` · ${notice.attempts} attempts`}
        </span>
        <Button
          size="small"
          tone="quiet"
          disabled={look.isPending}
          onClick={() => (dryRun === null ? look.mutate() : setDryRun(null))}
        >
          {dryRun === null ? 'Look' : 'Hide'}
        </Button>
        {(notice.status === 'dead' || notice.lastError !== null) && (
          <Button size="small" disabled={retry.isPending} onClick={() => retry.mutate()}>
            Try again
          </Button>
        )}
      </div>
      {notice.lastError && (
        <p className="text-[13px] text-bad [overflow-wrap:anywhere]">{notice.lastError}</p>
      )}
      <ErrorNote error={retry.error ?? look.error} />
      {dryRun !== null && <OutputBlock label="What would be sent" text={JSON.stringify(dryRun, null, 2)} />}
    </li>
  )
}
