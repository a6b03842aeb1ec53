import { useState } from 'react'
import type { Task } from '../api/contract.ts'
import { useUploads } from '../api/queries.ts'
import { Panel } from '../ui/panel.tsx'
import { FilePreview } from './file-preview.tsx'
import { type ChosenFile, FileTree } from './file-tree.tsx'

/** What is in the folder that a task works in, and what it was given. */
export function FilesTab({ task }: { readonly task: Task }) {
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const { data: uploads = [] } = useUploads(task.id)
  const state = `${task.turnCount} ${task.status} ${uploads.length}`
  const tree = { taskId: task.id, state, chosen, onChoose: setChosen }
  return (
    <div className="flex flex-col gap-3">
      {chosen && <FilePreview taskId={task.id} file={chosen} />}
      {uploads.length > 0 && (
        <Panel title="Uploads">
          <div className="p-2">
            <FileTree place={{ in: 'uploads', path: '' }} {...tree} />
          </div>
        </Panel>
      )}
      <Panel title={<code className="text-xs [overflow-wrap:anywhere]">{task.cwd}</code>}>
        <div className="p-2">
          <FileTree place={{ in: 'folder', path: '' }} {...tree} />
        </div>
      </Panel>
    </div>
  )
}
