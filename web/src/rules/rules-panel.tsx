import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { StandingRule } from '../api/contract.ts'
import { keys, useRules } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { INPUT } from '../ui/field.tsx'
import { Empty, Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.rules })

export function RulesPanel() {
  const { data: rules, error } = useRules()
  const [isRevokedShown, setRevokedShown] = useState(false)
  const standing = rules?.filter(({ revokedAt }) => revokedAt === null) ?? []
  const revoked = rules?.filter(({ revokedAt }) => revokedAt !== null) ?? []
  return (
    <Panel
      title="Standing rules"
      aside={
        revoked.length > 0 && (
          <Button
            size="small"
            tone="quiet"
            aria-pressed={isRevokedShown}
            onClick={() => setRevokedShown(!isRevokedShown)}
          >
            {isRevokedShown ? 'Hide' : 'Show'} {revoked.length} revoked
          </Button>
        )
      }
    >
      <AddRule />
      <ErrorNote error={error} />
      {rules && standing.length === 0 && (
        <Empty title="No standing rules">
          Answer a question with “Always allow” and its rule is here, or write one above.
        </Empty>
      )}
      <ul className="divide-y divide-line">
        {[...standing, ...(isRevokedShown ? revoked : [])].map((rule) => (
          <RuleRow key={rule.id} rule={rule} />
        ))}
      </ul>
    </Panel>
  )
}

function RuleRow({ rule }: { readonly rule: StandingRule }) {
  const revoke = useMutation({ mutationFn: () => calls.rules.revoke(rule.id), onSettled: refresh })
  const isRevoked = rule.revokedAt !== null
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <code className={classNames('[overflow-wrap:anywhere]', isRevoked && 'text-soft line-through')}>
          {rule.text}
        </code>
        <p className="text-xs text-soft">
          {rule.createdBy}, <Ago at={rule.createdAt} />
          {rule.reach === 'outside' && ' · lets commands leave the sandbox'}
          {rule.reach === 'inside' && ' · only inside the sandbox'}
          {rule.note && ` · ${rule.note}`}
          {rule.approvalId && ' · from a question'}
          {isRevoked && ` · revoked by ${rule.revokedBy}`}
        </p>
      </div>
      {!isRevoked && (
        <Button size="small" tone="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      )}
      <ErrorNote error={revoke.error} />
    </li>
  )
}

function AddRule() {
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: () => calls.rules.add({ text: text.trim() }),
    onSuccess: () => {
      setText('')
      void refresh()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-b border-line p-4">
      <div className="flex gap-2">
        <input
          aria-label="New rule"
          className={`${INPUT} font-mono`}
          placeholder="allow command git status"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={add.isPending || text.trim() === ''}>
          Add
        </Button>
      </div>
      <ErrorNote error={add.error} />
    </form>
  )
}
