// The exec-servers that an app-server was told of on this connection.
import {
  type ExecServerAddress,
  environmentId,
  HostUnreachableError,
  protectionThere,
  type ThreadEnvironment,
} from '../environment.ts'
import { DrawbridgeError, UnsupportedError } from '../errors/index.ts'
import { PROFILE_SUFFIXES, type Protection, type RightsContext, type ThreadRights } from '../policy/index.ts'
import { isAtLeast, type protocol } from '../protocol/index.ts'
import type { PlacedEnvironment } from './thread-parts.ts'
import type { Request } from './turn-context.ts'

/** Before, profiles that protect logins cannot be named by a turn. */
const SINCE = '0.161.0'
/** codex itself gives up a lost exec-server after 25 s. */
const REACH_MS = 40_000

/** Not tried again: an app-server does not forget a machine. */
class OtherPlaceError extends DrawbridgeError {
  constructor(wanted: string | null, taken: string | null) {
    const nameOf = (place: string | null) => (place === null ? 'its own machine' : place)
    super(
      `this codex has threads that work on ${nameOf(taken)}: open another one for ${nameOf(wanted)}, because codex lets every thread it opens use all the machines it was told of`,
      { code: 'other-place' },
    )
  }
}

/** A machine that was reached, as codex knows it now. */
export interface Reached {
  readonly id: string
  readonly protection: Protection
}

export class Environments {
  readonly #request: Request
  readonly #version: () => string | null
  readonly #added = new Map<string, string>()
  /** Where all threads of this codex work; null: on its own machine. */
  #place: string | null | undefined

  constructor(request: Request, version: () => string | null) {
    this.#request = request
    this.#version = version
  }

  /**
   * Throws when threads of another place were opened. A thread that is resumed or forked, or started without a word about
   * machines, gets codex's own and all that it was told of, and its model can name each of them (0.166).
   */
  keepTo(place: string | null): void {
    if (this.#place === undefined) this.#place = place
    if (this.#place !== place) throw new OtherPlaceError(place, this.#place)
  }

  /** Rejects with a `HostUnreachableError`: a thread that codex opens without its machine never gets it (0.166). */
  async reach(
    environment: ThreadEnvironment,
    { protection, isExperimental }: RightsContext,
  ): Promise<Reached> {
    const version = this.#version()
    const isProtected = protection?.dialect === 'modern' && isExperimental
    if (version === null || !isAtLeast(version, SINCE) || !isProtected)
      throw new UnsupportedError('another machine as the place of a thread', version)
    try {
      const address = await environment.open({ codexVersion: version })
      this.keepTo(environment.name)
      const id = environmentId(environment.name, address)
      await this.#add(id, address)
      // Of an exec-server that was started again codex says once more that it is gone, and then reaches it.
      await this.#look(id).catch(() => this.#add(id, address, { isKnown: false }).then(() => this.#look(id)))
      return { id, protection: protectionThere(address) }
    } catch (error) {
      const isTold = error instanceof HostUnreachableError || error instanceof OtherPlaceError
      throw isTold ? error : new HostUnreachableError(environment.name, error)
    }
  }

  async #look(id: string): Promise<void> {
    await this.#request('environment/info', { environmentId: id }, { timeoutMs: REACH_MS })
  }

  /** codex forgets them when it ends, not when a connection does; to add one again changes nothing. */
  async #add(id: string, { url, token }: ExecServerAddress, { isKnown = true } = {}): Promise<void> {
    if (isKnown && this.#added.get(id) === token) return
    const address = { execServerUrl: url, authBearerToken: token }
    await this.#request('environment/add', { environmentId: id, ...address })
    this.#added.set(id, token)
  }
}

/** For `thread/start` and every `turn/start`: after a cold resume and on a fork codex would work on its own machine. */
export function inEnvironment(
  id: string,
  cwd: string,
): { environments: protocol.v2.TurnEnvironmentParams[] } {
  return { environments: [{ environmentId: id, cwd }] }
}

/**
 * What a turn is sent, in the machine of its thread. Named in every turn: codex forgets the machine when it loads a thread,
 * and would use its own.
 */
export async function turnIn<Params extends { readonly cwd?: string | null }>(
  environment: PlacedEnvironment | null,
  params: Params,
  rights: Pick<ThreadRights, 'policy' | 'folderOf'>,
): Promise<{ environment: PlacedEnvironment | null; params: Params }> {
  if (environment === null) return { environment, params }
  if (environment.id === null)
    throw new HostUnreachableError(environment.name, new Error('it was away when the thread was opened'))
  const { id } = await environment.reach()
  const { cwd: _, ...rest } = params
  // It was loaded with people as its reviewers.
  const { approvalsReviewer } = rights.policy
  const given = { ...(approvalsReviewer && { approvalsReviewer }), ...rest }
  const there = { ...given, ...inEnvironment(id, rights.folderOf(params)) } as unknown as Params
  return { environment: { ...environment, id }, params: there }
}

/** The profiles of that machine, for the `config` of a thread. Dotted: a table would replace those of the process. */
export function profilesThere({ profile, paths }: Protection): Record<string, never> {
  const filesystem = Object.fromEntries(paths.map((place) => [place, 'deny']))
  const defined = PROFILE_SUFFIXES.map((suffix) => {
    const base = suffix.startsWith('rw') ? ':workspace' : ':read-only'
    const rights = { extends: base, filesystem, network: { enabled: suffix.endsWith('net') } }
    return [`permissions.${profile}-${suffix}`, rights]
  })
  return Object.fromEntries(defined)
}
