import { Link } from 'wouter'
import type { AuditEntry } from '../api/contract.ts'
import { useAudit } from '../api/queries.ts'
import { answeredBy, answerText, isYes } from '../inbox/answer-text.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Empty, Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'

export function AuditPanel() {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useAudit()
  const entries = data?.pages.flatMap(({ items }) => items)
  return (
    <Panel title="Audit">
      <ErrorNote error={error} />
      {entries?.length === 0 && (
        <Empty title="Nothing was decided yet">
          Every answer to a question of Codex is kept here, with who gave it and why.
        </Empty>
      )}
      <ul className="divide-y divide-line">
        {entries?.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Older
          </Button>
        </div>
      )}
    </Panel>
  )
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  // Another client of codex gave it, and codex does not tell what it was.
  const isUnknown = entry.answer === null
  return (
    <li className="px-4 py-2.5 text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <Link
          href={`/tasks/${entry.taskId}`}
          className="min-w-0 truncate hover:underline"
          title={entry.title}
        >
          {entry.title}
        </Link>
        <span className="shrink-0 text-xs text-soft">
          <Ago at={entry.at} />
        </span>
      </div>
      <p className="text-[13px] text-soft [overflow-wrap:anywhere]">
        <span
          className={classNames(
            'font-medium',
            !isUnknown && (isYes(entry.answer) ? 'text-good' : 'text-bad'),
          )}
        >
          {answerText(entry.answer, entry.kind)} {answeredBy(entry)}
        </span>
        {entry.why && `: ${entry.why}`}
      </p>
    </li>
  )
}
