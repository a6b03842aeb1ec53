// `drawbridge login`: by a code that is typed in on a page of OpenAI's, or with a key that is read here and kept by codex.
import { setTimeout as delay } from 'node:timers/promises'
import { DrawbridgeError, registerSecrets } from '../../codex/index.ts'
import type { AccountLogin } from '../../tasks/index.ts'
import { EXIT, quoted, type Surroundings, UsageError } from '../process/index.ts'
import { readSecret } from '../prompts/index.ts'
import { localTime, printJson, tell } from '../screen/index.ts'
import { type AccountFlags, type AccountPlace, openAccount } from './account-place.ts'
import { type AccountFacts, describeAccount } from './account-text.ts'

export interface LoginFlags extends AccountFlags {
  readonly key?: boolean
}

type Pending = Extract<AccountLogin, { status: 'pending' }>

const LOOK_MS = 1_000

export async function login(flags: LoginFlags, surroundings: Surroundings): Promise<number> {
  // Before codex is started: a mistake here costs nothing.
  const apiKey = flags.key ? await readKey(surroundings) : null
  const place = await openAccount(flags, surroundings, { mayMake: true })
  try {
    await tellReplaced(place, flags, surroundings)
    const ended =
      apiKey === null
        ? await loginByCode(place, flags, surroundings)
        : await place.account.startLogin({ type: 'apiKey', apiKey })
    if (ended.status === 'failed')
      throw new DrawbridgeError(`nobody was logged in: ${ended.message}. Try again`, { code: 'login-failed' })
    if (ended.status !== 'succeeded') return EXIT.interrupted
    await tellDone(place, flags, surroundings)
    return EXIT.done
  } finally {
    await place.close()
  }
}

async function readKey(surroundings: Surroundings): Promise<string> {
  const key = (await readSecret('OpenAI API key', surroundings)).trim()
  if (key === '' || /\s/.test(key))
    throw new UsageError(
      '--key: give one key, typed at the prompt or on stdin, as in `printenv OPENAI_API_KEY | drawbridge login --key`',
    )
  registerSecrets([key])
  return key
}

async function tellReplaced(
  { account }: AccountPlace,
  { json }: AccountFlags,
  surroundings: Surroundings,
): Promise<void> {
  const { account: before } = (await account.read().catch(() => ({}))) as AccountFacts
  if (before && !json)
    tell(surroundings, `Logged in ${describeAccount(before)} until now; a new login replaces it.`)
}

async function loginByCode(
  place: AccountPlace,
  flags: AccountFlags,
  surroundings: Surroundings,
): Promise<AccountLogin> {
  const { account } = place
  const started = await account.startLogin({ type: 'chatgptDeviceCode' }).catch((error: unknown) => {
    throw withOtherWays(error, place)
  })
  if (started.status !== 'pending') return started
  if (flags.json) printJson(surroundings, started)
  else tell(surroundings, codeText(started))
  return untilEnded(started, place, surroundings)
}

function codeText({ verificationUrl, userCode, expiresAt }: Pending): string {
  return [
    'Log in with ChatGPT, in a browser on any machine:',
    `  1. open ${verificationUrl}`,
    `  2. type in this code: ${userCode}`,
    `Give the code to nobody. Waiting for you until ${localTime(expiresAt, Date.now())}; Ctrl-C cancels.`,
  ].join('\n')
}

async function untilEnded(
  { loginId }: Pending,
  { account }: AccountPlace,
  { interrupted: signal }: Surroundings,
): Promise<AccountLogin> {
  for (;;) {
    const now = await account.login()
    if (now.status !== 'pending' || now.loginId !== loginId) return now
    await delay(LOOK_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) {
      await account.cancelLogin(loginId).catch(() => null)
      return { status: 'none' }
    }
  }
}

/** codex, its settings or the workspace do not want a login by code. */
function withOtherWays(error: unknown, { codexPath }: AccountPlace): unknown {
  if (!(error instanceof DrawbridgeError)) return error
  if (error.code === 'rpc-error')
    return new DrawbridgeError(
      `codex got no code from OpenAI: check the network, or use an API key with \`drawbridge login --key\` (${error.message})`,
      { code: error.code, cause: error },
    )
  if (error.code !== 'not-supported') return error
  const inBrowser = codexPath === null ? '`codex login`' : `\`${quoted(codexPath)} login\``
  return new DrawbridgeError(
    `${error.message.replace(/\.$/, '')}. Use an API key with \`drawbridge login --key\`, or a browser on this machine with ${inBrowser}`,
    { code: error.code, cause: error },
  )
}

async function tellDone(
  { account, codexHome }: AccountPlace,
  { json }: AccountFlags,
  surroundings: Surroundings,
): Promise<void> {
  const { account: who = null } = (await account.read().catch(() => ({}))) as AccountFacts
  if (json) return printJson(surroundings, { status: 'succeeded', account: who, codexHome })
  tell(
    surroundings,
    `Logged in${who ? ` ${describeAccount(who)}` : ''}. Codex keeps the login in ${codexHome}.`,
  )
  if (who?.type === 'apiKey') tell(surroundings, 'Whether the key works shows with the first turn.')
}
