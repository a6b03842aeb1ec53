import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import * as calls from '../api/calls.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { OutputBlock } from '../ui/output-block.tsx'
import { Panel } from '../ui/panel.tsx'
import type { FilePlace } from './file-tree.tsx'
import { type Preview, previewOf } from './preview.ts'
import { sizeText } from './size-text.ts'

interface Props {
  readonly taskId: string
  readonly file: FilePlace & { readonly bytes: number; readonly modifiedAt: number | null }
}

export function FilePreview({ taskId, file }: Props) {
  const { in: where, path, bytes, modifiedAt } = file
  const { data, error } = useQuery({
    queryKey: ['file', taskId, where, path, bytes, modifiedAt],
    queryFn: ({ signal }) =>
      previewOf((most) => calls.files.read(taskId, { in: where, path, most }, signal), bytes),
    retry: false,
    gcTime: 60_000,
  })
  const name = path.split('/').at(-1)!
  return (
    <Panel
      title={<code className="text-xs [overflow-wrap:anywhere]">{path}</code>}
      aside={
        <a
          href={calls.files.address(taskId, { in: where, path })}
          download={name}
          className="inline-flex items-center gap-1.5 rounded-lg border border-line px-2.5 py-1 text-[13px] hover:bg-sunk"
        >
          <Download size={14} aria-hidden /> Download
        </a>
      }
    >
      <div className="flex flex-col gap-2 p-3">
        <p className="text-[13px] text-soft">{sizeText(bytes)}</p>
        <ErrorNote error={error} />
        {data && <Shown preview={data} name={name} bytes={bytes} />}
      </div>
    </Panel>
  )
}

function Shown({
  preview,
  name,
  bytes,
}: {
  readonly preview: Preview
  readonly name: string
  readonly bytes: number
}) {
  if (preview.kind === 'image')
    return (
      <img
        src={preview.url}
        alt={name}
        className="max-h-96 max-w-full rounded-lg border border-line object-contain"
      />
    )
  if (preview.kind === 'text')
    return (
      <>
        {bytes > 0 && (
          <OutputBlock label={`Content of ${name}`} text={preview.text} className="max-h-[60vh]" />
        )}
        {bytes === 0 && <p className="text-[13px] text-soft">The file is empty.</p>}
        {preview.isCut && (
          <p className="text-[13px] text-soft">This is the beginning. Download it to see all.</p>
        )}
      </>
    )
  return (
    <p className="text-[13px] text-soft">
      {preview.kind === 'large-image'
        ? 'The image is too large to be shown here.'
        : 'This is not text. Download it to open it.'}
    </p>
  )
}
