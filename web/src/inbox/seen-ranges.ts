/** Which stretches of something long have been on the screen. */
export class SeenRanges {
  #ranges: readonly (readonly [from: number, to: number])[] = []

  /** A pixel more or less is rounding. */
  static readonly #SLACK = 2

  add(from: number, to: number): void {
    if (to <= from) return
    const touches = ([start, end]: readonly [number, number]) =>
      start <= to + SeenRanges.#SLACK && end >= from - SeenRanges.#SLACK
    const joined = this.#ranges.filter(touches)
    const range = [
      Math.min(from, ...joined.map(([start]) => start)),
      Math.max(to, ...joined.map(([, end]) => end)),
    ] as const
    this.#ranges = [...this.#ranges.filter((other) => !joined.includes(other)), range]
  }

  covers(from: number, to: number): boolean {
    return this.#ranges.some(
      ([start, end]) => start <= from + SeenRanges.#SLACK && end >= to - SeenRanges.#SLACK,
    )
  }

  clear(): void {
    this.#ranges = []
  }
}
