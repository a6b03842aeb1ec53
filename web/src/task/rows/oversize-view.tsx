import { useMutation } from '@tanstack/react-query'
import { PackageOpen } from 'lucide-react'
import { useContext } from 'react'
import * as calls from '../../api/calls.ts'
import type { OversizeRow } from '../../transcript/row.ts'
import { bytesText } from '../../ui/age-text.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/error-note.tsx'
import { OutputBlock } from '../../ui/output-block.tsx'
import { ViewContext } from '../verbosity.ts'
import { FoldLine } from './fold-line.tsx'

/** An event that was too large to be sent with the others. */
export function OversizeView({ row }: { readonly row: OversizeRow }) {
  const { taskId } = useContext(ViewContext)
  const whole = useMutation({ mutationFn: () => calls.tasks.wholeEvent(taskId, row.seq) })
  const text = whole.data === undefined ? `${row.head}…` : JSON.stringify(whole.data, null, 2)
  return (
    <FoldLine id={row.key} icon={PackageOpen} title={<code>{row.method}</code>} aside={bytesText(row.bytes)}>
      <OutputBlock label={row.method} text={text} />
      {row.hasWhole && whole.data === undefined && (
        <Button size="small" className="self-start" disabled={whole.isPending} onClick={() => whole.mutate()}>
          Show all of it
        </Button>
      )}
      <ErrorNote error={whole.error} />
    </FoldLine>
  )
}
