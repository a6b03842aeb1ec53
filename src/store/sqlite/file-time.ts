/** A time as part of a file's name: sorts by age, and no system minds it. */
export function fileTime(at: number): string {
  return new Date(at).toISOString().replaceAll(/[:.]/g, '-')
}
