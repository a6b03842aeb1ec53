import { X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { lazy, Suspense } from 'react'
import type { Task } from '../../api/contract.ts'
import type { LogView } from '../../transcript/task-log.ts'
import { SnapshotsPanel } from '../../workspaces/snapshots-panel.tsx'
import { WorkTab } from '../../workspaces/work-tab.tsx'
import type { Verbosity } from '../verbosity.ts'
import { VerbosityBar } from '../verbosity-bar.tsx'
import { ChangesTab } from './changes-tab.tsx'
import { RawTab } from './raw-tab.tsx'
import { StateTab } from './state-tab.tsx'

const FilesTab = lazy(() => import('../../files/files-tab.tsx').then((room) => ({ default: room.FilesTab })))
const UsageTab = lazy(() => import('./usage-tab.tsx').then((room) => ({ default: room.UsageTab })))

interface Props {
  readonly task: Task
  readonly view: LogView
  readonly verbosity: Verbosity
  readonly onVerbosity: (value: Verbosity) => void
  readonly onClose: () => void
}

const TABS = [
  ['state', 'State'],
  ['usage', 'Usage'],
  ['changes', 'Changes'],
  ['files', 'Files'],
  ['raw', 'Events'],
] as const

export function SidePanel({ task, view, verbosity, onVerbosity, onClose }: Props) {
  return (
    <Tabs.Root defaultValue="state" className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-page px-3 pt-2">
        <Tabs.List aria-label="Details of the task" className="flex">
          {TABS.map(([value, text]) => (
            <Tabs.Trigger
              key={value}
              value={value}
              className="border-b-2 border-transparent focus-visible:-outline-offset-2 px-2.5 pt-1 pb-2 text-[13px] font-medium text-soft data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {text}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <button
          type="button"
          aria-label="Close details"
          onClick={onClose}
          className="mb-1 ml-auto rounded-md p-1.5 text-soft hover:bg-sunk lg:hidden"
        >
          <X size={17} />
        </button>
      </div>
      <div className="flex flex-1 flex-col p-3">
        <Tabs.Content value="state" className="flex flex-col gap-3">
          <VerbosityBar value={verbosity} onChange={onVerbosity} />
          <StateTab task={task} />
        </Tabs.Content>
        <Tabs.Content value="usage">
          <Suspense fallback={null}>
            <UsageTab
              task={task}
              facts={view.transcript.facts}
              tokenCount={view.transcript.facts.tokens.size}
            />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="changes">
          <div className="flex flex-col gap-3">
            {task.workspace && task.workspace.kind !== 'scratch' ? (
              <WorkTab task={task} />
            ) : (
              <ChangesTab diffs={[...view.transcript.facts.diffs.entries()]} />
            )}
            <SnapshotsPanel task={task} />
          </div>
        </Tabs.Content>
        <Tabs.Content value="files">
          <Suspense fallback={null}>
            <FilesTab task={task} />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="raw" className="flex min-h-0 flex-1 flex-col">
          <RawTab taskId={task.id} view={view} />
        </Tabs.Content>
      </div>
    </Tabs.Root>
  )
}
