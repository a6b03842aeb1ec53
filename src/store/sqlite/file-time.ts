/** A time as part of a file's name: sorts by age, and no system minds it. */
export function fileTime(at: number): string {
  return new Date(at).toISOString().replaceAll(/[:.]/g, '-')
}

/** The reverse of `fileTime`. */
export function timeOfName(text: string): number {
  return Date.parse(text.replace(/(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, '$1:$2:$3.$4Z'))
}
