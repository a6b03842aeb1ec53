// Patterns as in a .gitignore: what they leave out of a snapshot. Names are matched by their bytes, as latin1 text.

interface Pattern {
  readonly isNegated: boolean
  readonly onlyFolders: boolean
  /** Of the way from the folder that the patterns are for. */
  readonly matches: RegExp
}

/** The patterns of one file, or of one list; they hold below `base`. */
export interface IgnoreList {
  /** The way of its folder from the root; empty: the root itself. */
  readonly base: string
  readonly patterns: readonly Pattern[]
}

export function ignoreList(text: string, base = ''): IgnoreList {
  const patterns = text.split('\n').flatMap((line) => parsed(line.replace(/\r$/, '')) ?? [])
  return { base, patterns }
}

/** Whether the last list that says anything of it says that it is left out. Lists of deeper folders come later. */
export function isIgnored(lists: readonly IgnoreList[], way: string, isFolder: boolean): boolean {
  for (let at = lists.length - 1; at >= 0; at--) {
    const { base, patterns } = lists[at]!
    const inner = base === '' ? way : way.slice(base.length + 1)
    for (let each = patterns.length - 1; each >= 0; each--) {
      const { isNegated, onlyFolders, matches } = patterns[each]!
      if ((isFolder || !onlyFolders) && matches.test(inner)) return !isNegated
    }
  }
  return false
}

function parsed(line: string): Pattern | null {
  let text = Buffer.from(line, 'utf8').toString('latin1')
  // Spaces at the end count only behind a backslash.
  while (text.endsWith(' ') && !text.endsWith('\\ ')) text = text.slice(0, -1)
  if (text === '' || text.startsWith('#')) return null
  const isNegated = text.startsWith('!')
  if (isNegated) text = text.slice(1)
  const onlyFolders = text.endsWith('/')
  if (onlyFolders) text = text.slice(0, -1)
  if (text === '') return null
  const isAnchored = text.includes('/')
  if (text.startsWith('/')) text = text.slice(1)
  const source = globSource(text)
  if (source === null) return null
  return { isNegated, onlyFolders, matches: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`, 's') }
}

/** null: a pattern that matches nothing, such as one with an open bracket. */
function globSource(glob: string): string | null {
  let source = ''
  for (let at = 0; at < glob.length; ) {
    const rest = glob.slice(at)
    const before = at === 0 || glob[at - 1] === '/'
    if (before && rest.startsWith('**/')) {
      source += '(?:.*/)?'
      at += 3
    } else if (before && rest === '**') {
      source += '.+'
      at += 2
    } else if (rest[0] === '*') {
      source += '[^/]*'
      at += /^\*+/.exec(rest)![0].length
    } else if (rest[0] === '?') {
      source += '[^/]'
      at += 1
    } else if (rest[0] === '[') {
      const found = bracket(rest)
      if (!found) return null
      source += found.source
      at += found.length
    } else {
      const isEscape = rest[0] === '\\'
      if (isEscape && rest.length === 1) return null
      source += escaped(rest[isEscape ? 1 : 0]!)
      at += isEscape ? 2 : 1
    }
  }
  return source
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\s',
  xdigit: '0-9a-fA-F',
  punct: '!-\\/:-@\\[-`{-~',
}

function bracket(text: string): { source: string; length: number } | null {
  let at = 1
  const isNegated = text[at] === '!' || text[at] === '^'
  if (isNegated) at++
  let inner = ''
  for (let isFirst = true; at < text.length && (isFirst || text[at] !== ']'); isFirst = false) {
    const named = /^\[:([a-z]+):\]/.exec(text.slice(at))
    if (named) {
      inner += CLASSES[named[1]!] ?? ''
      at += named[0].length
      continue
    }
    if (text[at] === '\\') at++
    if (at >= text.length) return null
    inner += text[at] === '-' ? '-' : escaped(text[at]!)
    at++
  }
  if (at >= text.length) return null
  const source = isNegated ? `(?!/)[^${inner}]` : `(?!/)[${inner}]`
  return isRegExp(source) ? { source, length: at + 1 } : null
}

function isRegExp(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}

function escaped(character: string): string {
  return /[\w\s]/.test(character) || character > '\x7f' ? character : `\\${character}`
}
