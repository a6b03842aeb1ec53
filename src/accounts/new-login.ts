// A login that codex makes itself, in a home that is thrown away: from a key, an access token, or a code that a person
// types in on a page of OpenAI's.
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Codex, redact, registerSecrets } from '../codex/index.ts'
import { type AccountLogin, CodexAccount } from '../tasks/index.ts'
import { makeFolder } from '../util/make-folder.ts'
import { AccountError } from './account-error.ts'
import { privateConfig } from './account-home.ts'
import { type Login, readLogin } from './login-text.ts'

export interface CodexParts {
  /** Starts codex on this home, alone. The caller closes it. */
  readonly openCodex: (codexHome: string, options: { signal?: AbortSignal }) => Promise<Codex>
  /** Runs a command of codex on this home. */
  readonly runCodex: (
    args: readonly string[],
    options: { readonly codexHome: string; readonly input: string },
  ) => Promise<{ readonly exitCode: number | null; readonly stderr: string }>
  readonly now: () => number
}

interface NewLoginParts extends CodexParts {
  readonly folder: string
  /** The config.toml that the account will have; null: a minimal one. */
  readonly config: string | null
}

/** Homes of logins that were never finished begin with a dot. */
const PREFIX = '.new-'

export async function loginByKey(apiKey: string, parts: NewLoginParts): Promise<Login> {
  return inNewHome(parts, async (home) => {
    const forget = registerSecrets([apiKey])
    const codex = await parts.openCodex(home, {})
    try {
      const account = new CodexAccount({ link: async () => linkTo(codex), now: parts.now })
      await account.startLogin({ type: 'apiKey', apiKey })
    } finally {
      await codex.close()
      forget()
    }
  })
}

export async function loginByAccessToken(accessToken: string, parts: NewLoginParts): Promise<Login> {
  return inNewHome(parts, async (codexHome) => {
    const forget = registerSecrets([accessToken])
    try {
      const args = ['login', '--with-access-token']
      const { exitCode, stderr } = await parts.runCodex(args, { codexHome, input: accessToken })
      if (exitCode !== 0) throw refusedToken(redact(stderr))
    } finally {
      forget()
    }
  })
}

/** A login by code: it ends by itself, with a login or the reason there is none. */
export interface DeviceLogin {
  readonly account: CodexAccount
  readonly started: AccountLogin
  /** Rejects when nobody was logged in. */
  readonly login: Promise<Login>
}

const LOOK_MS = 300

export async function loginByCode(parts: NewLoginParts): Promise<DeviceLogin> {
  const opened = Promise.withResolvers<Omit<DeviceLogin, 'login'>>()
  const login = inNewHome(parts, async (home) => {
    const codex = await parts.openCodex(home, {})
    try {
      const account = new CodexAccount({ link: async () => linkTo(codex), now: parts.now })
      opened.resolve({ account, started: await account.startLogin({ type: 'chatgptDeviceCode' }) })
      await untilEnded(account)
    } finally {
      await codex.close()
    }
  })
  login.catch(opened.reject)
  return { ...(await opened.promise), login }
}

async function untilEnded(account: CodexAccount): Promise<void> {
  for (;;) {
    const state = account.login()
    if (state.status === 'succeeded') return
    if (state.status === 'failed')
      throw new AccountError('bad-login', `nobody was logged in: ${state.message}`)
    if (state.status === 'none') throw new AccountError('bad-login', 'the login was taken back')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** At a start: those that a killed service left. What is in them was never stored, and nobody was told of it. */
export function removeUnfinished(folder: string): void {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {}
  for (const name of names)
    if (name.startsWith(PREFIX)) rmSync(path.join(folder, name), { recursive: true, force: true })
}

async function inNewHome(
  { folder, config }: NewLoginParts,
  logIn: (home: string) => Promise<void>,
): Promise<Login> {
  const home = path.join(folder, `${PREFIX}${randomBytes(8).toString('hex')}`)
  makeFolder(home)
  try {
    writeFileSync(path.join(home, 'config.toml'), privateConfig(config, 'file'), { mode: 0o600 })
    await logIn(home)
    const login = await readLogin(path.join(home, 'auth.json'))
    if (!login) throw new AccountError('bad-login', 'codex has stored no login that can be kept: try again')
    return login
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function linkTo(codex: Codex) {
  return { codex: async () => codex, appServer: { hold: () => () => {} } }
}

function refusedToken(stderr: string): AccountError {
  const line = stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return new AccountError('bad-login', `codex did not take the access token: ${line || 'it did not say why'}`)
}
