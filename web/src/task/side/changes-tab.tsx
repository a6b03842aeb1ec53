import { DiffView } from '../../diff/diff-view.tsx'
import { parsePatch } from '../../diff/parse-diff.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/panel.tsx'

/** What the whole task changed, turn by turn. */
export function ChangesTab({ diffs }: { readonly diffs: readonly (readonly [string, string])[] }) {
  const changed = diffs.filter(([, diff]) => diff.trim() !== '')
  if (changed.length === 0)
    return (
      <Empty title="No files were changed">
        What Codex changes with its own tools is shown here as one diff.
      </Empty>
    )
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between text-[13px] text-soft">
        {changed.length === 1 ? 'Changes of one turn' : `Changes of ${changed.length} turns`}
        <CopyButton label="Copy as a patch" text={() => changed.map(([, diff]) => diff).join('\n')} />
      </div>
      {changed.map(([turnId, diff]) => (
        <DiffView key={turnId} files={parsePatch(diff)} isNarrow isFolded={changed.length > 3} />
      ))}
    </div>
  )
}
