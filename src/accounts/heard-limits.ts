// What codex says of the limits of an account while turns run, kept with what the last check saw. Written now and then:
// codex says it after every answer of the model.
import type { protocol } from '../codex/index.ts'
import { accountRow, type Db, updateAccount } from '../store/index.ts'
import { type AccountFacts, type AccountWindow, factsOf } from './account.ts'
import { mergedWindows, updatedWindows } from './read-facts.ts'

interface HearingParts {
  readonly db: Db
  readonly now: () => number
  readonly tell: (line: string) => void
}

interface Heard {
  windows: readonly AccountWindow[]
  writtenAt: number
  timer: NodeJS.Timeout | null
  writing: Promise<void>
}

const EVERY_MS = 5_000
const NOTHING: AccountFacts = { email: null, plan: null, windows: [], at: null }

export class HeardLimits {
  readonly #parts: HearingParts
  readonly #heard = new Map<string, Heard>()

  constructor(parts: HearingParts) {
    this.#parts = parts
  }

  /** Never waits. The first is stored at once, and so is the last. */
  hear(accountId: string, snapshot: protocol.v2.RateLimitSnapshot | null | undefined): void {
    const now = this.#parts.now()
    const windows = updatedWindows(snapshot, now)
    if (windows.length === 0) return
    const heard = this.#heard.get(accountId) ?? {
      ...{ windows: [], writtenAt: 0, timer: null },
      writing: Promise.resolve(),
    }
    this.#heard.set(accountId, heard)
    heard.windows = mergedWindows(heard.windows, windows)
    // A clock that was set back must not keep it waiting.
    const waitMs = Math.min(Math.max(heard.writtenAt + EVERY_MS - now, 0), EVERY_MS)
    heard.timer ??= setTimeout(() => void this.#write(accountId, heard), waitMs).unref()
  }

  /** Before the account is judged by them, and at the end. */
  async stored(): Promise<void> {
    await Promise.all(
      [...this.#heard].map(([id, each]) => (each.timer ? this.#write(id, each) : each.writing)),
    )
  }

  #write(accountId: string, heard: Heard): Promise<void> {
    clearTimeout(heard.timer ?? undefined)
    heard.timer = null
    heard.writtenAt = this.#parts.now()
    const { windows } = heard
    heard.windows = []
    heard.writing = heard.writing
      .then(() => this.#store(accountId, windows))
      .catch((error: unknown) => this.#parts.tell(`the limits of an account could not be stored: ${error}`))
    return heard.writing
  }

  async #store(id: string, windows: readonly AccountWindow[]): Promise<void> {
    const row = await accountRow(this.#parts.db, { id })
    if (!row) return void this.#heard.delete(id)
    const facts = factsOf(row) ?? NOTHING
    const merged = { ...facts, windows: mergedWindows(facts.windows, windows) }
    await updateAccount(this.#parts.db, id, { facts: JSON.stringify(merged) })
  }
}
