import type { AgentRow, ItemRow, Row } from './row.ts'

/** Rows in order, found by key. */
export class RowList {
  readonly rows: Row[] = []
  readonly #index = new Map<string, number>()
  readonly #open = new Set<string>()

  get(key: string): Row | undefined {
    const index = this.#index.get(key)
    return index === undefined ? undefined : this.rows[index]
  }

  /** In its place when it has one, else at the end. */
  put(row: Row): void {
    const index = this.#index.get(row.key)
    if (row.kind === 'item' && row.isOpen) this.#open.add(row.key)
    else this.#open.delete(row.key)
    if (index !== undefined) this.rows[index] = row
    else {
      this.#index.set(row.key, this.rows.length)
      this.rows.push(row)
    }
  }

  touch(agent: AgentRow): void {
    this.put({ ...agent, version: agent.version + 1 })
  }

  openItems(): ItemRow[] {
    return [...this.#open].map((key) => this.get(key) as ItemRow)
  }
}
