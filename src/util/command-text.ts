// A command as people read, search and copy it. codex tells argv as one line in which every word is quoted for a shell
// (`/bin/bash -lc "awk '{print "'$2}'"'"'`); a person wants the script that the shell is given. The console bundles this file.

/** Shells where they are installed. `./bash -lc ls` runs something else than `ls`, and is shown whole. */
const SHELL = /^(?:(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\/)?(?:ba|z|da|k|fi)?sh$/
const RUN_TEXT = /^-l?i?c$/

/** The script of `bash -lc script`, exactly as the shell gets it. Any other command as it is. */
export function commandText(command: string): string {
  const [shell, flag, script, ...rest] = quotedWords(command) ?? []
  if (script === undefined || rest.length > 0 || script.trim() === '') return command
  return SHELL.test(shell!) && RUN_TEXT.test(flag!) ? script : command
}

const PIECE =
  /(?<space>[ \t\n]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[\s\S])*)"|\\(?<escaped>[^\n])|(?<plain>[^\s'"\\$`|&;<>()*?[\]{}~#!]+)/uy

/** The words a POSIX shell reads; null where it would do more than unquote them, or a quote does not end. */
export function quotedWords(text: string): readonly string[] | null {
  const words: string[] = []
  let word: string | null = null
  PIECE.lastIndex = 0
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    const piece = PIECE.exec(text)?.groups
    if (!piece) return null
    if (piece.space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + unquoted(piece)
  }
  return word === null ? words : [...words, word]
}

function unquoted({ single, double, escaped, plain }: Readonly<Record<string, string | undefined>>): string {
  return (
    single ?? double?.replace(/\\([$`"\\\n])/g, (_, kept) => (kept === '\n' ? '' : kept)) ?? escaped ?? plain!
  )
}
