// Whose login a command is about: that of the codex home in force. The running service is asked where it works with that
// home, so that its app-servers know of the change at once; else a codex of our own.
import { mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { openCodex } from '../../codex/index.ts'
import { localHost } from '../../hosts/index.ts'
import { type AccountLogin, CodexAccount, type LoginRequest } from '../../tasks/index.ts'
import { namedCodex, namedCodexHome } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { dataDirOf, findService, type ServiceFlags } from '../service/index.ts'
import { defaultCodexHome } from '../trust/index.ts'

export interface AccountFlags extends ServiceFlags {
  readonly codex?: string
  readonly codexHome?: string
}

/** What the service and a codex of our own have in common. */
interface AccountDoor {
  read(): Promise<unknown>
  login(): AccountLogin | Promise<AccountLogin>
  startLogin(request: LoginRequest): Promise<AccountLogin>
  cancelLogin(loginId: string): Promise<AccountLogin | null>
  logout(): Promise<void>
}

export interface AccountPlace {
  readonly account: AccountDoor
  /** Where codex keeps the login. */
  readonly codexHome: string
  /** The codex program of our own; null when the service is asked. */
  readonly codexPath: string | null
  close(): Promise<void>
}

/** Close it, whatever happens. A home that was named and is not there is made only for those who want to log in. */
export async function openAccount(
  flags: AccountFlags,
  surroundings: Surroundings,
  { mayMake = false }: { mayMake?: boolean } = {},
): Promise<AccountPlace> {
  const codexHome = homeOf(flags, surroundings, mayMake)
  const ofService = flags.codex === undefined ? await serviceAccount(codexHome, flags, surroundings) : null
  return ofService ?? ownAccount(codexHome, flags, surroundings)
}

function homeOf({ codexHome }: AccountFlags, { env }: Surroundings, mayMake: boolean): string {
  if (codexHome === undefined) return defaultCodexHome(env)
  if (mayMake) mkdirSync(codexHome, { recursive: true, mode: 0o700 })
  return namedCodexHome(codexHome)
}

async function serviceAccount(
  codexHome: string,
  flags: AccountFlags,
  surroundings: Surroundings,
): Promise<AccountPlace | null> {
  const service = await findService(dataDirOf(flags, surroundings))
  if (!service || service.isStopping) return null
  const { account } = service.client
  const { codexHome: itsHome } = Object(await account.read().catch(() => null)) as { codexHome?: unknown }
  if (typeof itsHome !== 'string' || real(itsHome) !== real(codexHome)) return null
  return { account, codexHome, codexPath: null, close: async () => {} }
}

async function ownAccount(
  codexHome: string,
  flags: AccountFlags,
  { env, interrupted: signal }: Surroundings,
): Promise<AccountPlace> {
  const codexPath = flags.codex === undefined ? undefined : namedCodex(flags.codex)
  const host = localHost({ env, codexPath, codexHome })
  const { path: found } = await host.inspect({ signal })
  const codex = await openCodex(host, { redact: true, signal })
  const link = { codex: async () => codex, appServer: { hold: () => () => {} } }
  const account = new CodexAccount({ link: async () => link, now: Date.now })
  return { account, codexHome, codexPath: found, close: () => codex.close() }
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return path.resolve(folder)
  }
}
