// A value as another application writes it, taken apart: plain text, environment variables, and what only that
// application can fill in. Codex fills in nothing, so each part has to be dealt with by name.

export type Part =
  | { readonly text: string }
  | { readonly variable: string; readonly fallback: string | null }
  /** As it is written there, and why it has no value here. */
  | { readonly unknown: string; readonly why: string }

export type Interpolated = readonly Part[]

/** What an application fills in: nothing, `${V}` and `${env:V}`, these and `$V`, or `{env:V}` and `{file:p}`. */
export type Interpolation = 'none' | 'dollar' | 'dollar-bare' | 'braces'

export interface Folders {
  readonly home: string
  /** The project that the file is about; null for a file of the user. */
  readonly project: string | null
  readonly separator: '/' | '\\'
}

const PATTERNS: Readonly<Record<Exclude<Interpolation, 'none'>, RegExp>> = {
  dollar: /\$\{([^}]*)\}/g,
  'dollar-bare': /\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g,
  braces: /\{((?:env|file):[^}]*)\}/g,
}
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function interpolated(value: string, how: Interpolation, folders: Folders): Interpolated {
  if (how === 'none') return [{ text: value }]
  const parts: Part[] = []
  let from = 0
  for (const found of value.matchAll(PATTERNS[how])) {
    if (found.index > from) parts.push({ text: value.slice(from, found.index) })
    parts.push(partOf(found[1] ?? found[2]!, found[0], folders))
    from = found.index + found[0].length
  }
  if (from < value.length || parts.length === 0) parts.push({ text: value.slice(from) })
  return joined(parts)
}

function partOf(inside: string, written: string, folders: Folders): Part {
  const name = inside.startsWith('env:') ? inside.slice(4) : inside
  const known = folderText(name, folders)
  if (known !== null) return { text: known }
  const [, variable, fallback] = /^([^:]*)(?::-([\s\S]*))?$/.exec(name) ?? []
  const isFolder = /^workspaceFolder(?:Basename)?$/.test(name)
  if (variable !== undefined && NAME.test(variable) && !isFolder)
    return { variable, fallback: fallback ?? null }
  return { unknown: written, why: whyUnknown(inside) }
}

function folderText(name: string, { home, project, separator }: Folders): string | null {
  if (name === 'userHome') return home
  if (name === 'pathSeparator' || name === '/') return separator
  if (project === null) return null
  if (name === 'workspaceFolder') return project
  return name === 'workspaceFolderBasename' ? (project.split(/[\\/]/).findLast((part) => part) ?? '') : null
}

function whyUnknown(inside: string): string {
  if (inside.startsWith('input:')) return 'is asked for by the editor each time'
  if (inside.startsWith('file:')) return 'is read from a file each time'
  if (inside.startsWith('workspaceFolder')) return 'is the folder open in the editor'
  return 'is filled in by the application alone'
}

function joined(parts: readonly Part[]): Interpolated {
  return parts.reduce<Part[]>((all, part) => {
    const last = all.at(-1)
    if (last && 'text' in last && 'text' in part) all[all.length - 1] = { text: last.text + part.text }
    else all.push(part)
    return all
  }, [])
}

/** The text, if there is nothing to fill in. */
export function plainText(value: Interpolated): string | null {
  const [only, ...rest] = value
  return only && rest.length === 0 && 'text' in only ? only.text : null
}

/** With references as a shell writes them, for people. */
export function writtenText(value: Interpolated): string {
  return value
    .map((part) => ('text' in part ? part.text : 'variable' in part ? `\${${part.variable}}` : part.unknown))
    .join('')
}

/** Only its references: the text around them may be half of a secret. */
export function outline(value: Interpolated): string {
  return value.map((part) => ('text' in part ? '…' : writtenText([part]))).join('')
}
