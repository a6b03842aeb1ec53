import { Link } from 'wouter'
import { ApiError } from '../api/http.ts'
import { useApproval } from '../api/queries.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Empty, Page, Panel } from '../ui/panel.tsx'
import { QuestionCard } from './question-card.tsx'

/** One question, open or settled: where notices lead. */
export function ApprovalPage({ id }: { readonly id: string }) {
  const { data, error } = useApproval(id)
  const isGone = error instanceof ApiError && error.code === 'approval-not-found'
  return (
    <Page title="Question">
      {isGone ? (
        <Panel>
          <Empty title="This question is gone">
            It was deleted together with its task.{' '}
            <Link href="/inbox" className="text-accent underline">
              See what is open
            </Link>
            .
          </Empty>
        </Panel>
      ) : (
        <ErrorNote error={error} />
      )}
      {data && <QuestionCard key={data.id} approval={data} isWanted />}
      {data && (
        <p className="text-sm">
          <Link href="/inbox" className="text-accent underline">
            All open questions
          </Link>
        </p>
      )}
    </Page>
  )
}
