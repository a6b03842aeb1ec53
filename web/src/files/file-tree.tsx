// The folders of a task. Each is asked for when it is opened, and again when a turn has ended.
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, CornerDownRight, File, Folder } from 'lucide-react'
import { useState } from 'react'
import * as calls from '../api/calls.ts'
import type { FileEntry } from '../api/contract.ts'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Exact } from '../ui/exact.tsx'
import { sizeText } from './size-text.ts'

export interface FilePlace {
  readonly in: 'folder' | 'uploads'
  readonly path: string
}

export type ChosenFile = FilePlace & { readonly bytes: number; readonly modifiedAt: number | null }

interface Props {
  readonly taskId: string
  readonly place: FilePlace
  /** Another one when the files may have changed. */
  readonly state: string
  readonly chosen: ChosenFile | null
  readonly onChoose: (file: ChosenFile) => void
}

export function FileTree({ place, ...props }: Props) {
  const { taskId, state } = props
  const { data, error } = useQuery({
    queryKey: ['files', taskId, place.in, place.path, state],
    queryFn: ({ signal }) => calls.files.list(taskId, place, signal),
    placeholderData: (before) => before,
    retry: false,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return null
  return (
    <ul className="flex flex-col">
      {data.entries.map((entry) => (
        <Entry key={entry.name} entry={entry} place={below(place, entry.name)} {...props} />
      ))}
      {data.entries.length === 0 && <li className="px-2 py-1 text-[13px] text-soft">Empty</li>}
      {data.isCut && <li className="px-2 py-1 text-[13px] text-soft">There are more than are shown here.</li>}
    </ul>
  )
}

const ROW = 'flex w-full items-center gap-1.5 rounded-md px-1.5 py-1 text-left text-[13px]'

function Entry({ entry, place, ...props }: Props & { readonly entry: FileEntry }) {
  const [isOpen, setOpen] = useState(false)
  const { name, kind, bytes, modifiedAt, target } = entry
  if (kind === 'folder')
    return (
      <li>
        <button
          type="button"
          aria-expanded={isOpen}
          className={`${ROW} hover:bg-sunk`}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight
            size={14}
            aria-hidden
            className={classNames('shrink-0 motion-safe:transition-transform', isOpen && 'rotate-90')}
          />
          <Folder size={14} aria-hidden className="shrink-0 text-soft" />
          <Name text={name} />
        </button>
        {isOpen && (
          <div className="ml-3 border-l border-line pl-1">
            <FileTree place={place} {...props} />
          </div>
        )}
      </li>
    )
  if (kind !== 'file')
    return (
      <li className={`${ROW} text-soft`}>
        <CornerDownRight size={14} aria-hidden className="ml-4 shrink-0" />
        <Name text={kind === 'link' ? `${name} → ${target ?? '?'}` : `${name} (cannot be read)`} />
      </li>
    )
  const isChosen = props.chosen?.in === place.in && props.chosen.path === place.path
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        className={classNames(ROW, isChosen ? 'bg-sunk font-medium' : 'hover:bg-sunk')}
        onClick={() => props.onChoose({ ...place, bytes: bytes ?? 0, modifiedAt })}
      >
        <File size={14} aria-hidden className="ml-4 shrink-0 text-soft" />
        <Name text={name} />
        <span className="ml-auto shrink-0 pl-2 text-xs text-soft">{sizeText(bytes ?? 0)}</span>
      </button>
    </li>
  )
}

function Name({ text }: { readonly text: string }) {
  return (
    <code className="min-w-0 [overflow-wrap:anywhere]">
      <Exact text={text} />
    </code>
  )
}

function below(place: FilePlace, name: string): FilePlace {
  return { in: place.in, path: place.path === '' ? name : `${place.path}/${name}` }
}
