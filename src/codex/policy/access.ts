// What a person lets a thread touch besides its sandbox mode: named folders, some of the network, or nothing but those.
// Pure: what can be told of such a choice without looking at any file.
import { DrawbridgeError } from '../errors/index.ts'
import type { ThreadPolicy } from './policy.ts'
import type { Protection } from './rights.ts'

/** A file or folder on the machine where commands run: to read, or to write too. */
export interface AllowedPath {
  /** Absolute. A thread keeps the real path. */
  readonly path: string
  readonly access: 'ro' | 'rw'
}

/** All of the network, none of it, or these domains: `example.org`, or `*.example.org` for all below it. */
export type NetworkAccess = boolean | { readonly domains: readonly string[] }

export type Access = Pick<ThreadPolicy, 'allow' | 'confined' | 'network'>

/** Whether the policy has more to say than a sandbox mode and all or none of the network can. */
export function hasOwnAccess({ allow, confined, network }: Access): boolean {
  return confined === true || (allow ?? []).length > 0 || domainsOf(network) !== null
}

/** null: the network is not limited to domains. */
export function domainsOf(network: NetworkAccess | null | undefined): readonly string[] | null {
  return typeof network === 'object' && network !== null ? network.domains : null
}

const MAX_ALLOWED = 50
const MAX_DOMAINS = 100

/** Of the kernel: there every process shows its memory, environment and open files. */
const KERNEL = ['/proc', '/dev', '/sys']
/** Who may write there makes the next git, or codex, outside the sandbox run what they like. */
const RUN_BY_OTHERS = /(^|\/)\.(git|codex|agents)(\/|$)/
const PATTERN = /[*?[\]{}]/
const CONTROL = /[\x00-\x1f\x7f]/
const DOMAIN =
  /^(\*\.)?(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** What is wrong with these choices on any machine, and what to do; null: nothing. */
export function problemWithAccess(policy: ThreadPolicy): string | null {
  const domains = domainsOf(policy.network)
  const domain = domains === null ? null : problemWithDomains(domains)
  return (
    domain ?? problemWithPaths(policy.allow ?? []) ?? (hasOwnAccess(policy) ? contradiction(policy) : null)
  )
}

function contradiction({ sandbox, permissions }: ThreadPolicy): string | null {
  const what = 'confined, allow and network domains'
  if (sandbox === 'danger-full-access')
    return `danger-full-access is no sandbox: leave ${what} out, or use workspace-write`
  if (permissions !== undefined)
    return `the permission profile ${permissions} says what may be touched: leave it or ${what} out`
  return null
}

function problemWithDomains(domains: readonly string[]): string | null {
  if (domains.length === 0) return 'no domain is named: name one, or turn the network off'
  if (domains.length > MAX_DOMAINS) return `at most ${MAX_DOMAINS} domains can be named`
  const bad = domains.find((domain) => !DOMAIN.test(domain))
  return bad === undefined
    ? null
    : `${JSON.stringify(bad)} is not a domain: write example.org, or *.example.org, in lower case and without a port`
}

function problemWithPaths(allow: readonly AllowedPath[]): string | null {
  if (allow.length > MAX_ALLOWED)
    return `at most ${MAX_ALLOWED} paths can be allowed: name a folder above them`
  for (const { path, access } of allow) {
    const problem = problemWithPath(path) ?? (access === 'rw' ? problemWithWritable(path) : null)
    if (problem !== null) return problem
  }
  const twice = allow.find(({ path }, at) => allow.some((other, index) => index < at && other.path === path))
  return twice === undefined ? null : `${twice.path} is allowed twice: name it once`
}

function problemWithPath(place: string): string | null {
  const shown = JSON.stringify(place)
  if (!place.startsWith('/')) return `${shown} is not an absolute path`
  if (CONTROL.test(place)) return `${shown} has a control character in it`
  if (PATTERN.test(place))
    return `${shown} has one of * ? [ ] { } in it, which codex reads as a pattern: name the folder above`
  if (/\/(\.{1,2})?(\/|$)/.test(place))
    return `${shown} is not a plain path: write it without /./, /../ and //`
  const kernel = KERNEL.find((folder) => isIn(place, folder))
  return kernel === undefined ? null : `${place} shows other processes: nothing in ${kernel} can be allowed`
}

function problemWithWritable(place: string): string | null {
  if (!RUN_BY_OTHERS.test(place)) return null
  return `${place} cannot be allowed to write: what lies there is run outside the sandbox. For commits use a worktree with --let-commit`
}

/** What is wrong with them in this folder of this machine: real paths. */
export function problemWithAllowed(
  { allow = [], sandbox }: ThreadPolicy,
  cwd: string,
  { paths }: Protection,
): string | null {
  const written = allow.filter(({ access }) => access === 'rw').map(({ path }) => path)
  const writable = sandbox === 'workspace-write' ? [cwd, ...written] : written
  for (const { path, access } of allow) {
    const around = paths.find((protectedPath) => isIn(path, protectedPath))
    if (around !== undefined)
      return `${path} is in ${around}, which is protected: it cannot be allowed. \`drawbridge trust list\` shows what is protected`
    const held = access === 'rw' ? paths.find((protectedPath) => isIn(protectedPath, path)) : undefined
    if (held !== undefined)
      return `${path} holds ${held}, which is protected: allow a folder in it that does not`
    const above = access === 'ro' ? writable.find((folder) => isIn(path, folder)) : undefined
    if (above !== undefined)
      return `${path} is in ${above}, which commands may write to: it cannot be kept read-only there`
  }
  return null
}

/** Whether it is that folder or in it. Absolute paths without `..`. */
function isIn(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** The choices cannot be kept: they contradict each other, or name what cannot be given. */
export class BadAccessError extends DrawbridgeError {
  constructor(problem: string) {
    super(problem, { code: 'bad-access' })
  }
}
