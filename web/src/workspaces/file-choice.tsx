import type { ChangedFile } from '../api/contract.ts'
import { Exact } from '../ui/exact.tsx'

interface Props {
  readonly files: readonly ChangedFile[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Which files a commit has. */
export function FileChoice({ files, chosen, onChange }: Props) {
  const toggle = (path: string) => {
    const next = new Set(chosen)
    if (!next.delete(path)) next.add(path)
    onChange(next)
  }
  return (
    <fieldset className="scroll-thin max-h-48 overflow-y-auto rounded-lg border border-line p-2">
      <legend className="px-1 text-xs text-soft">Uncommitted</legend>
      {files.map(({ path, change, added, removed }) => (
        <label key={path} className="flex items-center gap-2 py-0.5 text-[13px]">
          <input type="checkbox" checked={chosen.has(path)} onChange={() => toggle(path)} />
          <code className="min-w-0 flex-1 break-all">
            <Exact text={path} />
          </code>
          <span className="shrink-0 text-xs text-soft">
            {change} {added !== null && `+${added} −${removed}`}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
