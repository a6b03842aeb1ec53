import { Link } from 'wouter'
import type { Task } from '../../api/contract.ts'
import { useLentAccounts } from '../../api/queries.ts'

/** Which account a task runs on, and what it asked for where that is a pool. */
export function AccountFact({ task }: { readonly task: Task }) {
  const { data } = useLentAccounts()
  const { account: asked, accountId } = task
  const account = data?.items.find(({ id }) => id === accountId)
  const isOfPool = asked?.startsWith('pool:') ?? false
  if (accountId === null) return <>{asked}, none chosen yet</>
  const name = account?.name ?? (data ? 'one that is no longer kept' : asked)
  return (
    <>
      <Link href="/system" className="underline underline-offset-2">
        {name}
      </Link>
      {isOfPool && `, of the ${asked}`}
      {account && account.state !== 'active' && ` (${account.state})`}
    </>
  )
}
