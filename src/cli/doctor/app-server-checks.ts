// What only a running app-server can tell. Starts one, asks, and always ends it.
import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  type ClientMethod,
  type ClientParams,
  type ClientResult,
  Codex,
  type CodexNotification,
} from '../../codex/index.ts'
import type { LocalHost } from '../../hosts/index.ts'
import { type Check, fail, messageOf, ok } from './check.ts'
import { type ConfigRead, judgeConfig } from './config-checks.ts'
import { checkCodexHome } from './folder-checks.ts'
import { judgeLogin } from './login-check.ts'
import { judgeSandbox, sandboxProbe } from './sandbox-check.ts'

const REQUEST_TIMEOUT_MS = 15_000

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly tempDir: string
  readonly hasBubblewrap: boolean
  /** Where codex should find its own folder. */
  readonly codexHome: string
}

export interface AppServerFindings {
  readonly checks: readonly Check[]
  /** null when codex did not get as far as telling. */
  readonly codexHome: string | null
}

/** Resolves within a minute, whatever codex does. Rejects only when the signal aborts. */
export async function checkAppServer(
  host: LocalHost,
  { machine, signal }: { machine: Machine; signal: AbortSignal },
): Promise<AppServerFindings> {
  const startedAt = performance.now()
  const notices: CodexNotification[] = []
  let codex: Codex | null = null
  try {
    // Not `openCodex`: when the handshake fails, what codex wrote to stderr is still wanted.
    const onNotification = (notification: CodexNotification) => void notices.push(notification)
    codex = new Codex(await host.open({ signal }), { onNotification })
    await codex.handshake({ signal })
    const tookMs = Math.round(performance.now() - startedAt)
    const handshake = ok('handshake', `app-server started and answered in ${tookMs} ms`)
    const checks = await askCodex(codex, { notices, machine, signal })
    return { checks: [handshake, ...checks], codexHome: codex.codexHome }
  } catch (error) {
    signal.throwIfAborted()
    await codex?.close() // so that all it wrote to stderr is there
    const configFile = path.join(machine.codexHome, 'config.toml')
    const handshake = failedHandshake(error, { stderr: codex?.stderrTail() ?? [], configFile })
    return { checks: [handshake, checkCodexHome(machine.codexHome, machine)], codexHome: null }
  } finally {
    await codex?.close()
  }
}

async function askCodex(
  codex: Codex,
  { notices, machine, signal }: { notices: CodexNotification[]; machine: Machine; signal: AbortSignal },
): Promise<Check[]> {
  const { codexHome } = codex
  const ask = asker(codex, signal)
  const account = await ask('account/read', {})
  const config = await ask('config/read', {})
  const ran = await ask('command/exec', sandboxProbe(codexHome, machine.platform))
  const file = path.join(codexHome, 'config.toml')
  const read: ConfigRead = 'result' in config ? config.result : config
  return [
    checkCodexHome(codexHome, machine),
    ...judgeConfig(read, { file, hasFile: existsSync(file), notices }),
    'result' in account ? judgeLogin(account.result) : fail('login', messageOf(account.error)),
    'result' in ran ? judgeSandbox(ran.result, machine) : fail('sandbox', messageOf(ran.error)),
  ]
}

/** A refusal is an answer too; only an abort is not. */
function asker(codex: Codex, signal: AbortSignal) {
  return async <M extends ClientMethod>(
    method: M,
    params: ClientParams<M>,
  ): Promise<{ result: ClientResult<M> } | { error: unknown }> => {
    try {
      return { result: await codex.request(method, params, { timeoutMs: REQUEST_TIMEOUT_MS, signal }) }
    } catch (error) {
      signal.throwIfAborted()
      return { error }
    }
  }
}

function failedHandshake(
  error: unknown,
  { stderr, configFile }: { stderr: readonly string[]; configFile: string },
): Check {
  const said = lastWords(stderr)
  const what = said === '' ? messageOf(error) : `${messageOf(error)}: ${said}`
  const fix = `if this is about a setting, correct ${configFile}; \`codex app-server\` by hand should show the same`
  return fail('handshake', what, fix)
}

/** What codex said when it gave up, without the stack it may print after it. */
function lastWords(stderr: readonly string[]): string {
  const stackAt = stderr.findIndex((line) => /^stack backtrace:/i.test(line))
  const said = stackAt === -1 ? stderr : stderr.slice(0, stackAt)
  const errorAt = said.findLastIndex((line) => line.startsWith('Error: '))
  return (errorAt === -1 ? said.slice(-3) : said.slice(errorAt)).join(' ')
}
