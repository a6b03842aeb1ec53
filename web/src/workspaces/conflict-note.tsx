import { ApiError } from '../api/http.ts'
import { Exact } from '../ui/exact.tsx'

/** What is in the way of applying, file by file. */
export function ConflictNote({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError)) return null
  const { conflicts, files, messages } = error.details as Readonly<Record<string, unknown>>
  const names = listOf(conflicts).concat(listOf(files))
  if (names.length === 0) return null
  return (
    <ul className="flex flex-col gap-0.5 text-xs">
      {names.map((name) => (
        <li key={name}>
          <code>
            <Exact text={name} />
          </code>
        </li>
      ))}
      {listOf(messages).map((message) => (
        <li key={message} className="text-soft">
          <Exact text={message} />
        </li>
      ))}
    </ul>
  )
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
