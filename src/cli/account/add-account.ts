import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readLogin } from '../../accounts/index.ts'
import type { AddLentAccount, DrawbridgeClient, LentAccount, LentLogin } from '../../api/index.ts'
import { DrawbridgeError, registerSecrets } from '../../codex/index.ts'
import { namedCodexHome } from '../options/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { readSecret } from '../prompts/index.ts'
import { localTime, printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { defaultCodexHome } from '../trust/index.ts'
import { percentOf } from './act-on-account.ts'

export interface AddFlags extends ServiceFlags {
  readonly capture?: string | true
  readonly key?: boolean
  readonly accessToken?: boolean
  readonly withConfig?: boolean
  readonly pool: readonly string[]
  readonly reserve?: string
  readonly onLimit?: 'park' | 'switch'
  readonly replace?: boolean
}

const LOOK_MS = 1_000

export async function addAccount(name: string, flags: AddFlags, surroundings: Surroundings): Promise<number> {
  const settings = { ...settingsOf(name, flags), ...configOf(flags, surroundings) }
  const given = await loginOf(flags, surroundings)
  const client = await serviceClient(flags, surroundings)
  if (!given) return addByCode(client, settings, { flags, surroundings })
  const account = await client.accounts.add({ ...settings, login: given })
  tellAdded(account, flags, surroundings)
  return EXIT.done
}

function settingsOf(name: string, flags: AddFlags): Omit<AddLentAccount, 'login'> {
  const { capture, key, accessToken, pool, reserve, onLimit, replace } = flags
  const ways = [capture !== undefined, key, accessToken].filter(Boolean)
  if (ways.length > 1) throw new UsageError('give one of --capture, --key and --access-token')
  return {
    name,
    ...(pool.length > 0 && { pools: [...pool] }),
    ...(reserve !== undefined && { reservePercent: percentOf(reserve) }),
    ...(onLimit !== undefined && { onLimit }),
    ...(replace && { replace: true }),
  }
}

/** null: by a code. */
async function loginOf(flags: AddFlags, surroundings: Surroundings): Promise<AddLentAccount['login'] | null> {
  if (flags.capture !== undefined) return captured(flags, surroundings)
  if (flags.key) return { type: 'apiKey', apiKey: await typed('OpenAI API key', '--key', surroundings) }
  if (!flags.accessToken) return null
  const accessToken = await typed('Codex access token', '--access-token', surroundings)
  return { type: 'accessToken', accessToken }
}

async function typed(what: string, flag: string, surroundings: Surroundings): Promise<string> {
  const secret = (await readSecret(what, surroundings)).trim()
  if (secret === '' || /\s/.test(secret))
    throw new UsageError(`${flag}: give one value, typed at the prompt or on stdin`)
  registerSecrets([secret])
  return secret
}

/** Only auth.json. Nothing there is changed. */
async function captured(flags: AddFlags, surroundings: Surroundings): Promise<AddLentAccount['login']> {
  const home = homeOf(flags, surroundings)
  const login = await readLogin(path.join(home, 'auth.json'))
  if (!login)
    throw new DrawbridgeError(
      `there is no login in ${home}: log in there first, or leave --capture out to log in with a code`,
      { code: 'bad-login' },
    )
  registerSecrets(login.secrets)
  return { type: 'authJson', authJson: login.text }
}

function homeOf({ capture }: AddFlags, { env }: Surroundings): string {
  return typeof capture === 'string' ? namedCodexHome(capture, '--capture') : defaultCodexHome(env)
}

function configOf(flags: AddFlags, surroundings: Surroundings): { config?: string } {
  if (!flags.withConfig) return {}
  const file = path.join(homeOf(flags, surroundings), 'config.toml')
  try {
    return { config: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw new UsageError(`--with-config: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`)
  }
}

interface Telling {
  readonly flags: AddFlags
  readonly surroundings: Surroundings
}

async function addByCode(
  { accounts }: DrawbridgeClient,
  settings: Omit<AddLentAccount, 'login'>,
  { flags, surroundings }: Telling,
): Promise<number> {
  const started = await accounts.startLogin(settings)
  if (flags.json) printJson(surroundings, started)
  else tell(surroundings, codeText(started))
  const { interrupted: signal } = surroundings
  for (;;) {
    const now = await accounts.login()
    if (now.status === 'failed')
      throw new DrawbridgeError(`no account was added: ${now.message}`, { code: 'login-failed' })
    if (now.status !== 'pending') break
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted) continue
    await accounts.cancelLogin().catch(() => {})
    return EXIT.interrupted
  }
  const added = (await accounts.list()).find(({ name }) => name === settings.name)
  if (added) tellAdded(added, flags, surroundings)
  return EXIT.done
}

function codeText({ verificationUrl, userCode, expiresAt }: LentLogin): string {
  return [
    'Log in with ChatGPT, in a browser on any machine:',
    `  1. open ${verificationUrl}`,
    `  2. type in this code: ${userCode}`,
    `Give the code to nobody. Waiting for you until ${localTime(expiresAt ?? 0, Date.now())}; Ctrl-C cancels.`,
  ].join('\n')
}

function tellAdded(account: LentAccount, flags: AddFlags, surroundings: Surroundings): void {
  if (flags.json) return printJson(surroundings, account)
  tell(
    surroundings,
    `The account ${account.name} is kept. Use it: drawbridge task start --account ${account.name} "…"`,
  )
  if (flags.capture !== undefined && account.kind === 'chatgpt')
    tell(
      surroundings,
      'It is a copy of a login whose refresh token works once: from now on use that login through Drawbridge alone, or ' +
        'log in separately with `drawbridge account add` and a code.',
    )
}
