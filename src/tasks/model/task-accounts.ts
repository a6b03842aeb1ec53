// What tasks need of the accounts they borrow. `accounts` has it; the composition root introduces them.
import type { protocol } from '../../codex/index.ts'

/** What a task was asked to run on, and what it runs on so far. */
export interface BorrowingTask {
  readonly id: string
  /** The name of an account, or `pool:` and the name of a pool. */
  readonly account: string
  /** null: of a pool, and none is chosen yet. */
  readonly accountId: string | null
  readonly threadId: string | null
  /** Where its thread is. */
  readonly codexHome: string | null
  readonly onLimit: 'park' | 'switch' | null
  /** It was started with a named token, which may use the accounts of the pool and no others. */
  readonly isOfToken: boolean
  /** null: the one that codex takes by itself. */
  readonly model: string | null
}

export interface BorrowedAccount {
  readonly id: string
  readonly name: string
  /** Only an app-server of `AppServers` may run on it. */
  readonly codexHome: string
  /** What its user is told when the account is another than before. */
  readonly why: string | null
}

export interface TaskAccounts {
  /** What is asked for, as it is stored: rejects with `bad-request` when there is no such account or pool. */
  find(asked: string): Promise<{ readonly account: string; readonly accountId: string | null }>
  /** Before each turn: the account that it runs on. Rejects with `account-busy`, which is retryable, when none can be had now. */
  borrow(task: BorrowingTask): Promise<BorrowedAccount>
  /** Right before codex gets a turn: rejects with `account-busy` when the login is no longer this worker's to use. */
  confirm(accountId: string): Promise<void>
  /** The account has hit its limit; null: that is no longer to be waited for. */
  noteLimit(accountId: string, until: number | null): Promise<void>
  /** Codex says how full the windows of the account in this home are; homes of none are passed over. Never waits. */
  hearLimits(codexHome: string | null, limits: protocol.v2.RateLimitSnapshot | null | undefined): void
  /** The account that a task at a limit goes on with at once, its thread carried along; null: it waits. */
  switchFrom(task: BorrowingTask): Promise<BorrowedAccount | null>
  /** Hears of an account that can be used again: tasks that wait for it, by these names or for this home, need not wait. */
  onUsable(
    listener: (account: { readonly codexHome: string | null; readonly asked: readonly string[] }) => void,
  ): void
  /** A turn failed because its login was refused. */
  noteRefused(accountId: string): void
}
