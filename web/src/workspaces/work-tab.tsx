// What a task has done in its workspace, and what becomes of it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as calls from '../api/calls.ts'
import type { ApplyWork, Task, Work } from '../api/contract.ts'
import { useWork } from '../api/queries.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { parsePatch } from '../diff/parse-diff.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Choice, Field, INPUT } from '../ui/field.tsx'
import { Coming, Empty, Panel } from '../ui/panel.tsx'
import { ConflictNote } from './conflict-note.tsx'
import { DiscardDialog } from './discard-dialog.tsx'
import { FileChoice } from './file-choice.tsx'
import { RepositoryChoice } from './repository-choice.tsx'

const AT_WORK = ['queued', 'starting', 'working', 'waiting']

export function WorkTab({ task }: { readonly task: Task }) {
  const isThere = task.turnCount > 0
  const [repository, setRepository] = useState<string | null>(null)
  const state = `${task.turnCount} ${task.status}`
  const { data, error } = useWork(task.id, { state, isThere, repository })
  if (!isThere) return <Empty title="Nothing yet">Its workspace is made when it begins.</Empty>
  if (error) return <ErrorNote error={error} />
  if (!data) return <Coming />
  const { work, diff } = data
  return (
    <div className="flex flex-col gap-3">
      {work.repositories.length > 1 && (
        <RepositoryChoice work={work} chosen={repository} onChoose={setRepository} />
      )}
      <Acts
        key={`${work.workspace} ${work.seen}`}
        task={task}
        work={work}
        onGone={() => setRepository(null)}
      />
      {work.files.length === 0 ? (
        <Empty title="No files were changed">Its work is shown here, compared with where it began.</Empty>
      ) : (
        <>
          <div className="flex items-center justify-between text-[13px] text-soft">
            {diff.isCut ? 'The beginning of a long diff' : 'All of its work'}
            <CopyButton label="Copy as a patch" text={() => diff.patch} />
          </div>
          <DiffView files={parsePatch(diff.patch)} isNarrow isFolded={work.files.length > 5} />
        </>
      )}
    </div>
  )
}

interface ActsProps {
  readonly task: Task
  readonly work: Work
  readonly onGone: () => void
}

function Acts({ task, work, onGone }: ActsProps) {
  const client = useQueryClient()
  const done = () => client.invalidateQueries({ queryKey: ['work', task.id] })
  const own = work.uncommitted.filter(({ change }) => change !== 'repository' && change !== 'ignored')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(own.map(({ path }) => path)))
  const [message, setMessage] = useState('')
  const [method, setMethod] = useState<ApplyWork['method']>(own.length > 0 ? 'patch' : 'merge')
  const [isDiscarding, setDiscarding] = useState(false)
  const { seen, workspace: repository } = work
  const commit = useMutation({
    mutationFn: () => {
      const files = chosen.size === own.length ? {} : { files: [...chosen] }
      return calls.work.commit(task.id, { message, seen, repository, ...files })
    },
    onSuccess: done,
  })
  const apply = useMutation({
    mutationFn: () => calls.work.apply(task.id, { method, seen, repository }),
    onSuccess: done,
  })
  const isBusy = AT_WORK.includes(task.status) || commit.isPending || apply.isPending
  return (
    <Panel title={<code className="text-xs">{work.branch}</code>}>
      <div className="flex flex-col gap-3 p-4">
        <p className="text-[13px] text-soft">{summary(work)}</p>
        {own.length > 0 && (
          <>
            <FileChoice files={own} chosen={chosen} onChange={setChosen} />
            <Field label="Message of the commit">
              {(ids) => (
                <textarea
                  {...ids}
                  rows={2}
                  className={INPUT}
                  value={message}
                  onChange={(event) => setMessage(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {own.length > 0 && (
            <Button
              disabled={isBusy || message.trim() === '' || chosen.size === 0}
              onClick={() => commit.mutate()}
            >
              Commit
            </Button>
          )}
          <Choice
            className="w-auto"
            aria-label="How it is applied"
            value={method}
            onChoose={(value) => setMethod(value as ApplyWork['method'])}
            options={[
              { value: 'merge', text: 'Merge its commits' },
              { value: 'rebase', text: 'Rebase its commits' },
              { value: 'patch', text: 'Only the files, uncommitted' },
            ]}
          />
          <Button
            disabled={isBusy || work.files.length === 0 || !hasTarget(work, method)}
            onClick={() => apply.mutate()}
          >
            Apply
          </Button>
          <Button tone="danger" disabled={isBusy} onClick={() => setDiscarding(true)}>
            Discard…
          </Button>
        </div>
        <p className="text-[13px] text-soft">{applyText(work, method)}</p>
        {apply.data && (
          <p className="text-[13px] text-good">
            Applied to {apply.data.branch ?? apply.data.checkout}: {apply.data.files.length} files.
          </p>
        )}
        <ErrorNote error={commit.error ?? apply.error} />
        <ConflictNote error={apply.error} />
      </div>
      <DiscardDialog
        task={task}
        work={work}
        isOpen={isDiscarding}
        onClose={() => setDiscarding(false)}
        onGone={onGone}
      />
    </Panel>
  )
}

function summary({ files, uncommitted, commits, isMerged }: Work): string {
  if (files.length === 0 && commits.length === 0) return 'It has changed nothing.'
  const merged = commits.length > 0 && isMerged ? ', all of them merged' : ''
  return `${files.length} files changed, ${uncommitted.length} of them uncommitted; ${commits.length} commits${merged}.`
}

function hasTarget({ appliesTo }: Work, method: ApplyWork['method']): boolean {
  return appliesTo !== null && (method === 'patch' || appliesTo.branch !== null)
}

/** Where an apply goes, before anybody asks for it. */
function applyText(work: Work, method: ApplyWork['method']): string {
  const { appliesTo, host } = work
  const on = host === null ? '' : ` on ${host}`
  if (appliesTo === null) return 'Its repository is not on this machine: push the branch from its folder.'
  if (method === 'patch') return `Apply changes files in ${appliesTo.checkout}${on} and commits nothing.`
  if (appliesTo.branch !== null) return `Apply brings its commits to the branch ${appliesTo.branch}${on}.`
  return `There is no branch to apply it to. In a terminal: drawbridge task apply --to <branch>`
}
