// Whether a command rule speaks of one command. Word by word, never by a piece of a word.
import type { CommandClaim } from './claims.ts'
import { areAccepted } from './env-names.ts'
import { matchesGlob, matchesName, mayMatchGlob } from './glob.ts'
import { findOption, hasOnlyOptions } from './options.ts'
import { type Places, pathsIn } from './places.ts'
import { fold } from './plain-text.ts'
import type { CommandMatch } from './rule.ts'
import { baseName } from './wrappers.ts'

interface Use {
  readonly places: Places
  readonly isAllow: boolean
}

export function commandMatches(match: CommandMatch, claim: CommandClaim, { places, isAllow }: Use): boolean {
  const { part, isEscalated } = claim
  if (isAllow ? !reaches(match, claim) : !isMeantBy(match, part.words)) return false
  const rest = part.words.slice(match.command?.length ?? match.argvPrefix?.length ?? 0)
  if (match.options && !hasOnlyOptions(rest, match.options)) return false
  if (match.anyOption && findOption(part.words, match.anyOption) < 0) return false
  if (match.anyWord && !hasWordLike(part.words.slice(1), match.anyWord)) return false
  if (match.paths && !pathsAgree(match.paths, { claim, rest, places, isAllow })) return false
  if (match.operands && !operandsAre(match.operands, { words: rest, cwd: part.cwd, places })) return false
  return match.isSandboxed === undefined || match.isSandboxed !== isEscalated
}

/** An allow reaches a command it names word for word, and past its prefix only where nothing else can run. */
function reaches(match: CommandMatch, { part }: CommandClaim): boolean {
  if (part.unread !== null || !areAccepted(part.env, match.env ?? [])) return false
  const { command, argvPrefix = [] } = match
  if (command) return command.length === part.words.length && startsWith(part.words, command)
  if (part.carried && argvPrefix.length <= part.carried.at) return false
  return startsWith(part.words, argvPrefix)
}

function startsWith(words: readonly string[], prefix: readonly string[]): boolean {
  return words.length >= prefix.length && prefix.every((word, index) => word === words[index])
}

/** A refusal means a program wherever it lies, and looks past options that stand before a wanted word. */
function isMeantBy({ command, argvPrefix = [] }: CommandMatch, words: readonly string[]): boolean {
  const [program = '', ...given] = words.map(fold)
  const [wantedProgram, ...wanted] = (command ?? argvPrefix).map(fold)
  if (wantedProgram === undefined) return command === undefined
  if (program !== wantedProgram && baseName(program) !== baseName(wantedProgram)) return false
  if (command) return given.length === wanted.length && startsWith(given, wanted)
  let at = 0
  for (const word of wanted) {
    while (at < given.length && given[at] !== word && isOptionOrValue(given, at)) at += 1
    if (given[at++] !== word) return false
  }
  return true
}

function isOptionOrValue(words: readonly string[], at: number): boolean {
  return words[at]!.startsWith('-') || (at > 0 && words[at - 1]!.startsWith('-'))
}

function hasWordLike(words: readonly string[], patterns: readonly string[]): boolean {
  return words.some((word) => patterns.some((pattern) => matchesName(fold(word), fold(pattern))))
}

interface NamedPaths extends Use {
  readonly claim: CommandClaim
  readonly rest: readonly string[]
}

function pathsAgree(globs: readonly string[], { claim, rest, places, isAllow }: NamedPaths): boolean {
  if (!isAllow) return names(globs, claim, places)
  return rest.flatMap(pathsIn).every((path) => {
    const real = places.real(path, claim.part.cwd)
    return real !== null && globs.some((glob) => matchesGlob(real, glob, places))
  })
}

/** Whether some word or redirection of a command may mean a path like these. */
export function names(globs: readonly string[], { part }: CommandClaim, places: Places): boolean {
  const { words, redirections, cwd } = part
  const meant = [...words, ...redirections.map(({ path }) => path)].flatMap((word) => places.named(word, cwd))
  return meant.some((path) => globs.some((glob) => mayMatchGlob(path, glob, places)))
}

interface Operands {
  readonly words: readonly string[]
  readonly cwd: string | null
  readonly places: Places
}

function operandsAre(wanted: 'none' | 'inside' | 'outside', { words, cwd, places }: Operands): boolean {
  const operands = words.filter((word) => !word.startsWith('-') || word === '-')
  if (wanted === 'none') return operands.length === 0
  if (wanted === 'outside') return operands.some((word) => !places.isInside(word, cwd))
  return cwd !== null && places.isInside(cwd, null) && words.every((word) => isAllInside(word, cwd, places))
}

function isAllInside(word: string, cwd: string, places: Places): boolean {
  return pathsIn(word).every((path) => places.isInside(path, cwd))
}
