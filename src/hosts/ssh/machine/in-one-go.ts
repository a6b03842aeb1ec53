/** What is asked before the next turn of the event loop is asked together, at most so many at a time. */
export function inOneGo<T>(
  ask: (places: readonly string[]) => Promise<readonly T[]>,
  { atMost }: { readonly atMost: number },
): (place: string) => Promise<T> {
  let next: { readonly places: string[]; readonly answers: Promise<readonly T[]> } | null = null
  return async (place) => {
    if (next === null || next.places.length >= atMost) {
      const places: string[] = []
      const answers = Promise.resolve().then(() => {
        if (next?.places === places) next = null
        return ask(places)
      })
      next = { places, answers }
    }
    const { places, answers } = next
    const at = places.push(place) - 1
    return (await answers)[at]!
  }
}
