// Files for a task: uploaded when they are chosen or dropped, and told to the model with the next message.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { LoaderCircle, Paperclip, X } from 'lucide-react'
import * as calls from '../api/calls.ts'
import { useUploads } from '../api/queries.ts'
import { Exact } from '../ui/exact.tsx'
import { sizeText } from './size-text.ts'

export type FilesToAttach = ReturnType<typeof useAttachedFiles>

export function useAttachedFiles(taskId: string) {
  const client = useQueryClient()
  const { data = [] } = useUploads(taskId)
  const upload = useMutation({
    mutationFn: (files: readonly File[]) => calls.files.upload(taskId, files),
    onSettled: () => client.invalidateQueries({ queryKey: ['uploads', taskId] }),
  })
  const takeBack = useMutation({
    mutationFn: (uploadId: string) => calls.files.takeBack(taskId, uploadId),
    onSettled: () => client.invalidateQueries({ queryKey: ['uploads', taskId] }),
  })
  return {
    /** Those that the next message tells of. */
    waiting: data.filter(({ isTold }) => !isTold),
    uploading: upload.isPending ? upload.variables.length : 0,
    problem: upload.error ?? takeBack.error,
    takeBack: (uploadId: string) => takeBack.mutate(uploadId),
    add: (files: Iterable<File>) => {
      const given = [...files]
      if (given.length > 0) upload.mutate(given)
    },
    /** A message has told of them. */
    refresh: () => client.invalidateQueries({ queryKey: ['uploads', taskId] }),
  }
}

export function AttachedFiles({ files }: { readonly files: FilesToAttach }) {
  const { waiting, uploading } = files
  if (waiting.length === 0 && uploading === 0) return null
  return (
    <ul aria-label="Files for the next message" className="flex flex-wrap gap-1.5">
      {waiting.map(({ id, name, path, bytes, type }) => (
        <li
          key={id}
          title={`${path} (${type})`}
          className="inline-flex max-w-full items-center gap-1.5 rounded-lg border border-line bg-page px-2 py-1 text-[13px]"
        >
          <Paperclip size={13} aria-hidden className="shrink-0 text-soft" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Exact text={name} />
          </span>
          <span className="shrink-0 text-xs text-soft">{sizeText(bytes)}</span>
          <button
            type="button"
            aria-label={`Take back ${name}`}
            className="shrink-0 rounded-full p-0.5 text-soft hover:bg-sunk"
            onClick={() => files.takeBack(id)}
          >
            <X size={13} />
          </button>
        </li>
      ))}
      {uploading > 0 && (
        <li className="inline-flex items-center gap-1.5 px-2 py-1 text-[13px] text-soft">
          <LoaderCircle size={13} aria-hidden className="motion-safe:animate-spin" />
          Uploading {uploading === 1 ? 'a file' : `${uploading} files`}…
        </li>
      )}
    </ul>
  )
}

export function AttachFilesButton({ files }: { readonly files: FilesToAttach }) {
  return (
    <label
      className="inline-flex size-8 cursor-pointer items-center justify-center rounded-lg text-soft focus-within:outline-2 focus-within:outline-accent hover:bg-sunk"
      title="Attach files: they are uploaded, and the model is told where they are"
    >
      <Paperclip size={17} aria-hidden />
      <input
        type="file"
        multiple
        aria-label="Attach files"
        className="sr-only"
        onChange={(event) => {
          files.add(event.target.files ?? [])
          // The same file can be chosen again.
          event.target.value = ''
        }}
      />
    </label>
  )
}
