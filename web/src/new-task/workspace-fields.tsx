import { Choice, Field, INPUT } from '../ui/field.tsx'
import type { Draft } from './draft.ts'

interface Props {
  readonly draft: Pick<Draft, 'workspace' | 'from' | 'also' | 'source' | 'host'>
  readonly onChange: (change: Partial<Draft>) => void
}

const KINDS = [
  { value: 'folder', text: 'The folder itself' },
  { value: 'worktree', text: 'A git worktree of it, on a branch of its own' },
  { value: 'clone', text: 'A clone of a repository' },
  { value: 'scratch', text: 'An empty folder, removed at the end' },
]

/** Where the task works: in the folder, or in a place that is made for it. */
export function WorkspaceFields({ draft: { workspace, from, also, source, host }, onChange }: Props) {
  const hasStart = workspace === 'worktree' || workspace === 'clone'
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="Works in">
        {(ids) => (
          <Choice
            {...ids}
            value={workspace}
            onChoose={(kind) => onChange({ workspace: kind as Draft['workspace'] })}
            options={KINDS}
          />
        )}
      </Field>
      {hasStart && (
        <Field label="Begins with" hint="A branch, tag or commit. Else what is checked out.">
          {(ids) => (
            <input
              {...ids}
              className={`${INPUT} font-mono`}
              placeholder="main"
              value={from}
              onChange={(event) => onChange({ from: event.target.value })}
            />
          )}
        </Field>
      )}
      {workspace === 'worktree' && host === '' && (
        <div className="sm:col-span-2">
          <Field
            label="Further repositories"
            hint="A folder in each line. Each has a worktree of its own, which commands may write to as to the first."
          >
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                className={`${INPUT} font-mono`}
                placeholder="/home/me/lib"
                value={also}
                onChange={(event) => onChange({ also: event.target.value })}
              />
            )}
          </Field>
        </div>
      )}
      {workspace === 'clone' && (
        <Field label="Clone of" hint="An address, or an absolute path. Else the folder.">
          {(ids) => (
            <input
              {...ids}
              className={`${INPUT} font-mono`}
              placeholder="https://example.org/shop.git"
              value={source}
              onChange={(event) => onChange({ source: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}
