const SHELLS = /^(?:.*\/)?(?:ba|z|da|k|fi)?sh$/

/** What a person would have typed: the shell around it is left out. */
export function commandText(command: string, argv: readonly string[] | null): string {
  if (argv?.length === 3 && SHELLS.test(argv[0]!) && /^-l?i?c$/.test(argv[1]!)) return argv[2]!
  const wrapped = /^(?:\S*\/)?(?:ba|z|da|k|fi)?sh -l?i?c (.+)$/s.exec(command)?.[1]
  return wrapped === undefined ? command : unquoted(wrapped)
}

function unquoted(text: string): string {
  const single = /^'((?:[^']|'\\'')*)'$/s.exec(text)?.[1]
  if (single !== undefined) return single.replaceAll("'\\''", "'")
  const double = /^"((?:[^"\\]|\\.)*)"$/s.exec(text)?.[1]
  return double === undefined ? text : double.replace(/\\(["\\$`])/g, '$1')
}
