/** Whether a codex version is at least another. Pre-release suffixes are ignored. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [left, right] = [numbers(version), numbers(minimum)]
  for (let index = 0; index < 3; index++) {
    if (left[index] !== right[index]) return left[index]! > right[index]!
  }
  return true
}

function numbers(version: string): number[] {
  const [major = '0', minor = '0', patch = '0'] = version.split(/[.-]/)
  return [major, minor, patch].map((part) => Number.parseInt(part, 10) || 0)
}
