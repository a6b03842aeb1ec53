import { CircleAlert } from 'lucide-react'
import { ApiError } from '../api/http.ts'

interface Issue {
  readonly path?: unknown
  readonly message?: unknown
}

/** What went wrong, in the service's words, with every place it names. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  if (!error) return null
  const message = error instanceof Error ? error.message : String(error)
  const issues =
    error instanceof ApiError && Array.isArray(error.details.issues) ? (error.details.issues as Issue[]) : []
  return (
    <div role="alert" className="flex gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad">
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0 break-words">
        {message}
        {issues.map((issue) => (
          <div key={String(issue.path) + String(issue.message)}>
            <code>{Array.isArray(issue.path) ? issue.path.join('.') : String(issue.path)}</code>:{' '}
            {String(issue.message)}
          </div>
        ))}
      </div>
    </div>
  )
}
