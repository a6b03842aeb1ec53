/** Numbers from 0 to 1, the same ones for the same seed (a multiplicative congruential generator). */
export function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return (state - 1) / 2_147_483_646
  }
}
