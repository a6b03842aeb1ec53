import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import * as calls from '../api/calls.ts'
import type { Deliverable } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Exact } from '../ui/exact.tsx'
import { sizeText } from './size-text.ts'

const MAX_BYTES = 5_000_000
const MAX_SHOWN = 100_000
/** Pictures that cannot run anything; an SVG is shown as the text that it is. */
const PICTURES: Readonly<Record<string, string>> = {
  ...{ png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg' },
  ...{ gif: 'image/gif', webp: 'image/webp', avif: 'image/avif' },
}

/** Text and pictures. Nothing that a model wrote is ever run or laid out as a page. */
export function Preview({ item }: { readonly item: Deliverable }) {
  const { taskId, number, name, bytes } = item
  const { data, error } = useQuery({
    queryKey: [...keys.task(taskId), 'deliverable', number],
    queryFn: ({ signal }) => calls.deliverables.bytes(taskId, number, { most: MAX_BYTES, signal }),
    enabled: bytes <= MAX_BYTES,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (bytes > MAX_BYTES) return <None why={`It has ${sizeText(bytes)}: download it to look at it.`} />
  if (error) return <ErrorNote error={error} />
  if (!data) return null
  const picture = PICTURES[name.split('.').at(-1)!.toLowerCase()]
  if (picture) return <Picture bytes={data} type={picture} name={name} />
  const text = textIn(data)
  if (text === null) return <None why="It is neither text nor a picture: download it to look at it." />
  return (
    <pre className="scroll-thin max-h-72 overflow-auto rounded-lg border border-line bg-sunk p-2.5 text-xs">
      <Exact text={text.slice(0, MAX_SHOWN)} />
      {text.length > MAX_SHOWN && '\n… the beginning of it'}
    </pre>
  )
}

function Picture({
  bytes,
  type,
  name,
}: {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly name: string
}) {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return (
    address && (
      <img src={address} alt={name} className="max-h-72 rounded-lg border border-line object-contain" />
    )
  )
}

function None({ why }: { readonly why: string }) {
  return <p className="text-xs text-soft">{why}</p>
}

function textIn(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
