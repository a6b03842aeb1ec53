// One login by device code, from the code to its end.
import {
  type Codex,
  type CodexNotification,
  hasCode,
  redact,
  UnexpectedReplyError,
} from '../../codex/index.ts'
import { TaskError } from '../model/index.ts'

export interface DeviceLogin {
  readonly loginId: string
  readonly verificationUrl: string
  readonly userCode: string
  /** Resolves once, never rejects: null when somebody is logged in, else why nobody is. */
  readonly ended: Promise<string | null>
  cancel(): Promise<void>
}

/** The app-server whose login it is. */
export interface AccountLink {
  codex(): Promise<Codex>
  readonly appServer: { hold(): () => void }
}

/** What works from a shell where a login by code does not. */
const COMMAND = 'drawbridge login --key'
/** JSON-RPC's codes for requests that are not taken: this codex, its settings or OpenAI do not want such a login. */
const REFUSALS = new Set([-32600, -32601, -32602])

/** Asks codex for a code. The app-server is held until the login has ended. */
export async function startDeviceLogin(link: AccountLink): Promise<DeviceLogin> {
  const letGo = link.appServer.hold()
  try {
    const codex = await link.codex()
    // From before the question: the end can come with the answer.
    const notifications = codex.notifications()
    const code = await askForCode(codex).catch(async (error: unknown) => {
      await notifications.return?.()
      throw error
    })
    const ended = endOf(notifications, code.loginId).finally(letGo)
    const cancel = async () => void (await codex.request('account/login/cancel', { loginId: code.loginId }))
    return { ...code, ended, cancel }
  } catch (error) {
    letGo()
    throw error
  }
}

/** What codex will not do however often it is asked is `not-supported`; `details.command` may do it instead. */
export function refusedLogin(error: unknown, details: { readonly command?: string } = {}): unknown {
  if (hasCode(error, 'rpc-error') && REFUSALS.has(error.rpcCode))
    return new TaskError('not-supported', `codex refuses this login: ${redact(error.rpcMessage)}`, {
      details,
    })
  if (hasCode(error, 'unsupported')) return new TaskError('not-supported', error.message, { details })
  return error
}

async function askForCode(codex: Codex) {
  const reply = await codex
    .request('account/login/start', { type: 'chatgptDeviceCode' })
    .catch((error: unknown) => {
      throw refusedLogin(error, { command: COMMAND })
    })
  const { loginId, verificationUrl, userCode } = reply as Partial<Record<string, unknown>>
  const isWhole = typeof loginId === 'string' && typeof userCode === 'string' && isWebAddress(verificationUrl)
  if (!isWhole) throw new UnexpectedReplyError('account/login/start', 'a code and where to type it in')
  return { loginId, verificationUrl, userCode }
}

/** People will follow it. */
function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
}

async function endOf(
  notifications: AsyncIterable<CodexNotification>,
  loginId: string,
): Promise<string | null> {
  try {
    for await (const { method, params } of notifications) {
      if (method !== 'account/login/completed' || params.loginId !== loginId) continue
      return params.success ? null : redact(params.error ?? 'codex did not say why')
    }
    return 'the service let go of codex'
  } catch (error) {
    return `codex was lost meanwhile: ${redact(error instanceof Error ? error.message : String(error))}`
  }
}
