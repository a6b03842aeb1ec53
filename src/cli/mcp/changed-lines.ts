/** What differs between two texts: the lines between what both begin and end with. Enough for one entry in a file. */
export function changedLines(before: string, after: string): string[] {
  const [old, now] = [before, after].map((text) =>
    text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/),
  )
  let head = 0
  while (head < Math.min(old!.length, now!.length) && old![head] === now![head]) head++
  let tail = 0
  const most = Math.min(old!.length, now!.length) - head
  while (tail < most && old!.at(-1 - tail) === now!.at(-1 - tail)) tail++
  return [
    ...old!.slice(head, old!.length - tail).map((line) => `- ${line}`),
    ...now!.slice(head, now!.length - tail).map((line) => `+ ${line}`),
  ]
}
