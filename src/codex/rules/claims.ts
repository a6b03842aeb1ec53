// A question taken apart: every single thing that must be allowed for the whole to be allowed.
import type { Asked, AskedCommand, AskedPermissions } from './asked.ts'
import { type CommandPart, commandParts } from './command-parts.ts'
import type { Places } from './places.ts'
import { quoteWords } from './shell-quote.ts'

export interface CommandClaim {
  readonly type: 'command'
  readonly text: string
  readonly part: CommandPart
  readonly isEscalated: boolean
  readonly inner: readonly CommandClaim[]
}

export interface PathClaim {
  readonly type: 'path'
  readonly text: string
  readonly path: string
  readonly cwd: string | null
  /** A folder with everything below it. */
  readonly isTree: boolean
}

export type Claim =
  | CommandClaim
  | PathClaim
  | {
      readonly type: 'mcp'
      readonly text: string
      readonly server: string
      readonly tool: string
      readonly isReadOnly: boolean | null
    }
  | { readonly type: 'host'; readonly text: string; readonly host: string }
  | { readonly type: 'elicitation'; readonly text: string; readonly server: string }
  | { readonly type: 'network' | 'input'; readonly text: string }
  /** Nothing a rule may answer. */
  | { readonly type: 'unread'; readonly text: string; readonly why: string }

export function claimsOf(asked: Asked, places: Places): readonly Claim[] {
  switch (asked.kind) {
    case 'command':
      return commandClaims(asked, places)
    case 'file-change': {
      const { changes, grantRoot, cwd } = asked
      const writes = changes.map(({ path, change }) =>
        pathClaim(`${change} ${path}`, { path, cwd, isTree: false }),
      )
      if (grantRoot === null) return writes
      return [...writes, pathClaim(`write below ${grantRoot}`, { path: grantRoot, cwd, isTree: true })]
    }
    case 'permissions':
      return permissionClaims(asked.permissions, asked.cwd)
    case 'mcp-tool':
      return [{ ...asked, type: 'mcp', text: `${asked.server}.${asked.tool}` }]
    case 'host':
      return [{ type: 'host', text: asked.host, host: asked.host }]
    case 'elicitation':
      return [{ type: 'elicitation', text: `a form of ${asked.server}`, server: asked.server }]
    case 'user-input':
      return [{ type: 'input', text: 'a question to a person' }]
    case 'other':
      return [{ type: 'unread', text: asked.what, why: 'no rule answers this' }]
    default:
      return [{ type: 'unread', text: 'something new', why: 'no rule answers this' }]
  }
}

function commandClaims(asked: AskedCommand, places: Places): Claim[] {
  const claims: Claim[] = asked.permissions ? permissionClaims(asked.permissions, asked.cwd) : []
  if (asked.host !== undefined) claims.push({ type: 'host', text: asked.host, host: asked.host })
  const read = commandParts(asked, places)
  if ('unread' in read)
    return [...claims, { type: 'unread', text: asked.command ?? 'a command', why: read.unread }]
  for (const part of read.parts) claims.push(...partClaims(part, asked.isEscalated))
  return claims
}

function partClaims(part: CommandPart, isEscalated: boolean): Claim[] {
  return [commandClaim(part, isEscalated), ...redirectionClaims(part, isEscalated)]
}

/** `ls > x` writes x; `ls < x` needs what `cat x` needs, since the file becomes words of somebody. */
function redirectionClaims({ redirections, cwd, inner }: CommandPart, isEscalated: boolean): Claim[] {
  const own = redirections.map(({ to, path }): Claim => {
    if (to === 'write') return pathClaim(`write ${path}`, { path, cwd, isTree: false })
    const reading = {
      words: ['cat', path],
      env: [],
      cwd,
      redirections: [],
      inner: [],
      carried: null,
      unread: null,
    }
    return commandClaim(reading, isEscalated)
  })
  return [...own, ...inner.flatMap((part) => redirectionClaims(part, isEscalated))]
}

function commandClaim(part: CommandPart, isEscalated: boolean): CommandClaim {
  const inner = part.inner.map((inside) => commandClaim(inside, isEscalated))
  return { type: 'command', text: quoteWords(part.words), part, isEscalated, inner }
}

function permissionClaims(
  { readPaths, writePaths, network, other }: AskedPermissions,
  cwd: string | null,
): Claim[] {
  const tree = (verb: string) => (path: string) =>
    pathClaim(`${verb} below ${path}`, { path, cwd, isTree: true })
  return [
    ...readPaths.map(tree('read')),
    ...writePaths.map(tree('write')),
    ...(network ? [{ type: 'network', text: 'the network' } as const] : []),
    ...other.map((text) => ({ type: 'unread', text, why: 'no rule answers this' }) as const),
  ]
}

function pathClaim(text: string, claim: Omit<PathClaim, 'type' | 'text'>): PathClaim {
  return { type: 'path', text, ...claim }
}
