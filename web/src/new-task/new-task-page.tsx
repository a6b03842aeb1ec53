import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { AccountNote } from '../account/account-note.tsx'
import * as calls from '../api/calls.ts'
import type { StartTask } from '../api/contract.ts'
import { useHosts, useLentAccounts, useStatus, useWorkers } from '../api/queries.ts'
import { AttachButton, AttachedImages } from '../task/attached-images.tsx'
import { useImages } from '../task/images.ts'
import { OverrideFields } from '../task/override-fields.tsx'
import { FolderTrust } from '../trust/folder-trust.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Field, INPUT } from '../ui/field.tsx'
import { keep, readKept } from '../ui/kept-value.ts'
import { Page, Panel } from '../ui/panel.tsx'
import { isFleet } from '../workers/fleet.ts'
import { accessProblem } from './access-draft.ts'
import { AccessFields } from './access-fields.tsx'
import { type Draft, EMPTY_DRAFT, rememberedPart, startRequest } from './draft.ts'
import { RunOn } from './run-on.tsx'
import { RunWith } from './run-with.tsx'
import { SharedFolderNote } from './shared-folder-note.tsx'
import { TEMPLATES } from './templates.ts'
import { WorkspaceFields } from './workspace-fields.tsx'

const KEPT = 'last-task'

/** What is chosen where another task writes to the folder. */
type Instead = Pick<StartTask, 'workspace' | 'shareFolder'>

export function NewTaskPage() {
  const [, go] = useLocation()
  const { data: status } = useStatus()
  const workers = useWorkers().data?.items ?? []
  const hasFleet = isFleet(workers)
  const hosts = (useHosts().data?.items ?? []).filter(({ kind }) => kind === 'ssh')
  const accounts = useLentAccounts().data?.items ?? []
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY_DRAFT, ...readKept<Partial<Draft>>(KEPT, {}) }))
  const key = useRef(crypto.randomUUID())
  const attached = useImages()
  const isThere = draft.host !== ''
  const cwd = draft.cwd ?? (isThere ? '' : status?.defaultCwd) ?? ''
  const start = useMutation({
    mutationFn: (instead: Instead) =>
      calls.tasks.start({ ...startRequest({ ...draft, cwd }, attached.images), ...instead }, key.current),
    onSuccess: (task) => {
      keep(KEPT, rememberedPart({ ...draft, cwd }))
      go(`/tasks/${task.id}`)
    },
    // A changed request is another task.
    onError: () => {
      key.current = crypto.randomUUID()
    },
  })
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate({})
  }
  return (
    <Page title="New task">
      <AccountNote hasDemo />
      <div className="flex flex-wrap gap-2">
        {TEMPLATES.map(({ name, ...template }) => (
          <Button key={name} size="small" onClick={() => set(template)}>
            {name}
          </Button>
        ))}
      </div>
      <Panel>
        <form onSubmit={submit} className="flex flex-col gap-4 p-4 sm:p-5">
          <Field label="What should Codex do?">
            {(ids) => (
              <textarea
                {...ids}
                required
                // biome-ignore lint/a11y/noAutofocus: writing this is what the page is for.
                autoFocus
                rows={6}
                className={`${INPUT} text-[15px] leading-relaxed`}
                value={draft.prompt}
                onChange={(event) => set({ prompt: event.target.value })}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start.mutate({})
                }}
              />
            )}
          </Field>
          <RunWith hosts={hosts} accounts={accounts} draft={draft} onChange={set} />
          <Field
            label="Folder"
            hint={
              isThere
                ? `Absolute, on host ${draft.host}. Folders there are untrusted.`
                : `Absolute, on the machine that runs the ${hasFleet ? 'task' : 'service'}.`
            }
          >
            {(ids) => (
              <input
                {...ids}
                required
                className={`${INPUT} font-mono`}
                placeholder="/home/you/project"
                value={cwd}
                // From here on it is the person's: a default that arrives late must not get between the letters.
                onFocus={() => set({ cwd })}
                onBlur={() => cwd === '' && set({ cwd: null })}
                onChange={(event) => set({ cwd: event.target.value })}
              />
            )}
          </Field>
          {!isThere && <FolderTrust cwd={cwd.trim()} codexHome={null} hasFleet={hasFleet} />}
          <WorkspaceFields draft={draft} onChange={set} />
          {hasFleet && <RunOn workers={workers} draft={draft} onChange={set} />}
          <OverrideFields value={draft} onChange={setDraft} unset="Codex’s own" />
          <AccessFields draft={draft} onChange={set} />
          <p className="-mt-2 text-xs text-soft">
            The sandbox is what commands can touch. The preset is what is answered without a person; the rest
            comes to the inbox.
          </p>
          <details>
            <summary className="text-[13px] font-medium">Title, labels, who is told</summary>
            <div className="mt-3 grid gap-3 sm:grid-cols-3">
              <Field label="Title" hint="Else the first line of the prompt.">
                {(ids) => (
                  <input
                    {...ids}
                    className={INPUT}
                    value={draft.title}
                    onChange={(event) => set({ title: event.target.value })}
                  />
                )}
              </Field>
              <Field label="Labels" hint="With commas.">
                {(ids) => (
                  <input
                    {...ids}
                    className={INPUT}
                    value={draft.labels}
                    onChange={(event) => set({ labels: event.target.value })}
                  />
                )}
              </Field>
              <Field label="Tell" hint="Targets of the settings, or URLs.">
                {(ids) => (
                  <input
                    {...ids}
                    className={INPUT}
                    value={draft.notify}
                    onChange={(event) => set({ notify: event.target.value })}
                  />
                )}
              </Field>
            </div>
          </details>
          <AttachedImages attached={attached} />
          <ErrorNote error={start.error ?? attached.problem} />
          <SharedFolderNote error={start.error} isBusy={start.isPending} onChoose={start.mutate} />
          <div className="flex items-center gap-2">
            <Button
              type="submit"
              tone="main"
              disabled={
                start.isPending ||
                draft.prompt.trim() === '' ||
                cwd.trim() === '' ||
                accessProblem(draft) !== null
              }
            >
              {start.isPending ? 'Starting…' : 'Start the task'}
            </Button>
            <AttachButton attached={attached} />
          </div>
        </form>
      </Panel>
    </Page>
  )
}
