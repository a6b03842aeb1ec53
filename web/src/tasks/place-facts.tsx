// Where a task works and on whose login, where that is not the service's own machine and Codex's own login.
import type { Task } from '../api/contract.ts'
import { useLentAccounts } from '../api/queries.ts'

type Placed = Pick<Task, 'host' | 'account' | 'accountId'>

export function PlaceFacts({ task }: { readonly task: Placed }) {
  return (
    <>
      {task.host !== null && <span title="Its commands run there">on host {task.host}</span>}
      {task.account !== null && <AccountFact task={task} />}
    </>
  )
}

function AccountFact({ task }: { readonly task: Placed }) {
  return <span title="The login that it runs on">account {useAccountText(task)}</span>
}

/** What was asked for, and of a pool the account that was chosen; empty: Codex's own login. */
export function useAccountText({ account, accountId }: Placed): string {
  const { data } = useLentAccounts({ isWanted: account !== null })
  if (account === null) return ''
  const name = data?.items.find(({ id }) => id === accountId)?.name
  return name === undefined || name === account ? account : `${account} (${name})`
}
