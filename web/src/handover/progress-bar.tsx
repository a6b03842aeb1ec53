import type { TaskProgress } from '../api/contract.ts'

/** How far the model says it is. */
export function ProgressBar({ progress }: { readonly progress: TaskProgress }) {
  const { text, percent } = progress
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {percent !== null && (
        <span
          role="progressbar"
          aria-label="Progress"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
          className="h-1.5 w-28 shrink-0 overflow-hidden rounded-full bg-line"
        >
          <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
        </span>
      )}
      <span className="min-w-0 truncate text-soft" title={text}>
        {percent === null ? text : `${percent} % · ${text}`}
      </span>
    </span>
  )
}
