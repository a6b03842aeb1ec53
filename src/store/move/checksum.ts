import { hash } from 'node:crypto'
import type { Values } from './pages.ts'

const LANES = 8

/** Of a table: the sum of its rows' hashes, so that the order in which the rows are read does not matter. */
export class Checksum {
  /** 32 bits of every hash each, added modulo 2^32. */
  readonly #lanes = new Uint32Array(LANES)
  #rows = 0

  get rows(): number {
    return this.#rows
  }

  /** JSON keeps apart what differs: 1 and "1", null and "null", where one column ends and the next begins. */
  add(row: Values): void {
    const digest = hash('sha256', JSON.stringify(row), 'buffer')
    for (let lane = 0; lane < LANES; lane++) this.#lanes[lane]! += digest.readUInt32LE(lane * 4)
    this.#rows++
  }

  equals(other: Checksum): boolean {
    return this.#rows === other.#rows && this.#lanes.every((sum, lane) => sum === other.#lanes[lane])
  }
}
