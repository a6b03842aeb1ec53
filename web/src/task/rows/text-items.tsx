import { Brain } from 'lucide-react'
import { useContext } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { listOf, type Params, textOf } from '../../transcript/params.ts'
import type { ItemRow } from '../../transcript/row.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ViewContext } from '../verbosity.ts'
import { FoldLine } from './fold-line.tsx'
import { Picture } from './picture.tsx'

export function UserItem({ row }: { readonly row: ItemRow }) {
  const parts = listOf(row.item.content)
  return (
    <div className="ml-auto flex max-w-[92%] flex-col gap-2 rounded-2xl rounded-br-md bg-accent-wash px-4 py-2.5 sm:max-w-[80%]">
      {parts.map((part) => (
        <Part key={JSON.stringify(part).slice(0, 200)} part={part} />
      ))}
    </div>
  )
}

function Part({ part }: { readonly part: Params }) {
  if (part.type === 'text')
    return <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{textOf(part.text)}</p>
  return <Picture source={textOf(part.url) ?? textOf(part.path) ?? textOf(part.name) ?? String(part.type)} />
}

export function MessageItem({ row }: { readonly row: ItemRow }) {
  const text =
    row.isOpen || row.isCut ? row.live || (textOf(row.item.text) ?? '') : (textOf(row.item.text) ?? '')
  return (
    <div className="group relative">
      <Markdown text={text} isLive={row.isOpen} />
      {row.isCut && <p className="mt-1 text-xs text-soft">cut short</p>}
      {!row.isOpen && text !== '' && (
        <div className="absolute -top-1 right-0 rounded-md bg-page opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          <CopyButton text={text} label="Copy the message" />
        </div>
      )}
    </div>
  )
}

export function ReasoningItem({ row }: { readonly row: ItemRow }) {
  const { verbosity } = useContext(ViewContext)
  const kept = [...strings(row.item.summary), ...strings(row.item.content)].join('\n\n')
  const text = kept || row.live
  const first = text
    .replaceAll('**', '')
    .split('\n')
    .find((line) => line.trim() !== '')
  return (
    <FoldLine
      id={row.key}
      icon={Brain}
      isRunning={row.isOpen}
      isOpenFirst={verbosity.thinking === 'full'}
      title={<span className="text-soft italic">{first ?? 'Thinking'}</span>}
    >
      {text !== '' && (
        <div className="border-l-2 border-line pl-3 text-sm text-soft">
          <Markdown text={text} isLive={row.isOpen} />
        </div>
      )}
    </FoldLine>
  )
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : []
}
