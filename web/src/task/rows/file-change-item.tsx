import { FilePen } from 'lucide-react'
import { useContext } from 'react'
import { DiffView } from '../../diff/diff-view.tsx'
import { changeDiff } from '../../diff/parse-diff.ts'
import { listOf, textOf } from '../../transcript/params.ts'
import type { ItemRow } from '../../transcript/row.ts'
import { ViewContext } from '../verbosity.ts'
import { FoldLine, Mark } from './fold-line.tsx'

export function FileChangeItem({ row }: { readonly row: ItemRow }) {
  const { cwd } = useContext(ViewContext)
  const files = listOf(row.item.changes).map(({ path, kind, diff }) =>
    changeDiff({ path: textOf(path) ?? '?', kind, diff: textOf(diff) ?? '', cwd }),
  )
  const status = textOf(row.item.status)
  const added = files.reduce((sum, file) => sum + file.addedCount, 0)
  const removed = files.reduce((sum, file) => sum + file.removedCount, 0)
  const names = files.map(({ path }) => path.split('/').at(-1)).join(', ')
  return (
    <FoldLine
      id={row.key}
      icon={FilePen}
      isRunning={row.isOpen}
      title={
        <>
          {status === 'completed' ? 'Changed' : 'Change'} <code>{names}</code>
        </>
      }
      aside={
        <>
          <span>
            <span className="text-good">+{added}</span> <span className="text-bad">−{removed}</span>
          </span>
          {status === 'declined' && <Mark tone="bad">denied</Mark>}
          {status === 'failed' && <Mark tone="bad">failed</Mark>}
          {row.isCut && <Mark tone="calm">cut short</Mark>}
        </>
      }
    >
      {files.length > 0 && <DiffView files={files} />}
    </FoldLine>
  )
}
