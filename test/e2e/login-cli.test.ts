// The login of codex from our own command line: the real codex, and OpenAI's side of it on loopback.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import { EMAIL, startLoginIssuer, TOKENS, USER_CODE } from '../support/login-issuer.ts'
import { jsonLines, runCli } from '../support/run-cli.ts'

const KEY = 'sk-test-0123456789abcdef0123456789abcdef'
/** The scripted model, behind a provider that wants a login. */
const WANTS_LOGIN = { config: { 'model_providers.scripted.requires_openai_auth': true } }
const NOT_LOGGED_IN =
  'drawbridge: Not logged in to OpenAI. Run `drawbridge login`, or try `drawbridge demo`, which needs no account.\n'

async function stage() {
  const issuer = await startLoginIssuer()
  onTestFinished(() => issuer.close())
  const { cwd, codexHome, inTerminal } = await cliStage(() => message('x'), issuer.home)
  const env = { CODEX_HOME: codexHome, DRAWBRIDGE_HOME: path.join(codexHome, 'drawbridge'), ...issuer.env }
  const authFile = path.join(codexHome, 'auth.json')
  return {
    issuer,
    codexHome,
    authFile,
    cli: (args: readonly string[], stdin = '') => runCli(args, { env, cwd, stdin }),
    inTerminal: (args: readonly string[]) => inTerminal(args, { env: issuer.env }),
  }
}

describe('drawbridge login', () => {
  it('shows a code, waits until somebody has typed it in, and says whose login is where', async () => {
    const { inTerminal, issuer, codexHome, cli, authFile } = await stage()
    const login = inTerminal(['login'])
    await login.shows(`1. open ${issuer.url}/codex/device`)
    await login.shows(`2. type in this code: ${USER_CODE}`)
    issuer.authorize()
    await login.shows(`Logged in with ChatGPT as ${EMAIL}, plan plus. Codex keeps the login in ${codexHome}.`)
    expect(await login.ended()).toMatchObject({ code: 0 })
    for (const token of Object.values(TOKENS)) expect(login.raw).not.toContain(token)
    expect(readFileSync(authFile, 'utf8')).toContain(TOKENS.access_token)
    const account = await cli(['account'])
    expect(account).toMatchObject({ code: 0, stderr: '' })
    expect(account.stdout).toBe(
      `Logged in with ChatGPT as ${EMAIL}, plan plus\n  CODEX_HOME is ${codexHome}\n`,
    )
  })

  it('is taken back with Ctrl-C, and nothing is changed', async () => {
    const { inTerminal, authFile } = await stage()
    const login = inTerminal(['login'])
    await login.shows('Ctrl-C cancels')
    login.type('\u0003')
    expect(await login.ended()).toMatchObject({ code: 130 })
    expect(existsSync(authFile)).toBe(false)
  })

  it('says why nobody was logged in', async () => {
    const { cli, issuer } = await stage()
    issuer.deny()
    const denied = await cli(['login'])
    expect(denied.code).toBe(1)
    expect(denied.stderr).toMatch(/drawbridge: nobody was logged in: .*400.*\. Try again\n$/)
    await issuer.close()
    const offline = await cli(['login'])
    expect(offline.code).toBe(1)
    expect(offline.stderr).toMatch(
      /^drawbridge: codex got no code from OpenAI: check the network, or use an API key/,
    )
  })

  it('tells programs the code and the account as JSON lines', async () => {
    const { cli, issuer, codexHome } = await stage()
    issuer.authorize()
    const { code, stdout } = await cli(['login', '--json'])
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toMatchObject([
      { status: 'pending', userCode: USER_CODE },
      { status: 'succeeded', account: { type: 'chatgpt', email: EMAIL }, codexHome },
    ])
  })

  it('where codex is set to keys alone says what works instead', async () => {
    const { cli, codexHome } = await stage()
    const home = path.join(codexHome, 'keys-only')
    expect(await cli(['login', '--key', '--codex-home', home], KEY)).toMatchObject({ code: 0 })
    expect(readFileSync(path.join(home, 'auth.json'), 'utf8')).toContain(KEY)
    const config = `forced_login_method = "api"\n${readFileSync(path.join(codexHome, 'config.toml'), 'utf8')}`
    writeFileSync(path.join(home, 'config.toml'), config)
    const refused = await cli(['login', '--codex-home', home])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /Use an API key with `drawbridge login --key`, or a browser on this machine with `.*codex login`/,
    )
  })
})

describe('drawbridge login --key', () => {
  it('takes a key from stdin, and the next run works with it', async () => {
    const { piped, model, codexHome } = await cliStage(() => message('hello'), WANTS_LOGIN)
    const env = { CODEX_HOME: codexHome }
    expect(await piped('run', 'hi')).toMatchObject({ code: 5, stdout: '', stderr: NOT_LOGGED_IN })
    const login = await runCli(['login', '--key'], { env, stdin: `${KEY}\n` })
    expect(login).toMatchObject({ code: 0, stdout: '' })
    expect(login.stderr).toContain(`Logged in with an OpenAI API key. Codex keeps the login in ${codexHome}.`)
    expect(login.stderr).not.toContain(KEY)
    expect(model.requests).toHaveLength(0)
    expect(await piped('run', 'hi')).toMatchObject({ code: 0, stdout: 'hello\n' })
  })

  it('asks at a terminal without showing what is typed', async () => {
    const { inTerminal, authFile } = await stage()
    const login = inTerminal(['login', '--key'])
    await login.shows('OpenAI API key (not shown): ')
    login.type(`${KEY}\r`)
    expect(await login.ended()).toMatchObject({ code: 0 })
    expect(login.raw).not.toContain(KEY)
    expect(readFileSync(authFile, 'utf8')).toContain(KEY)
  })

  it.each([
    [['login', '--key', KEY], 'a key on a command line is seen by others'],
    [['login', '--key'], 'give one key'],
  ])('refuses %j, and repeats no key', async (args, why) => {
    const { cli, authFile } = await stage()
    const { code, stderr } = await cli(args)
    expect(code).toBe(2)
    expect(stderr).toContain(why)
    expect(stderr).not.toContain(KEY)
    expect(existsSync(authFile)).toBe(false)
  })
})

describe('drawbridge logout', () => {
  it('deletes the login only when it is meant', async () => {
    const { cli, inTerminal, authFile, codexHome } = await stage()
    await cli(['login', '--key'], KEY)
    const unmeant = await cli(['logout'])
    expect(unmeant).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes') })
    const no = inTerminal(['logout'])
    await no.shows(`Delete the login in ${codexHome}, with an OpenAI API key?`)
    no.type('n')
    expect(await no.ended()).toMatchObject({ code: 3 })
    expect(existsSync(authFile)).toBe(true)
    const yes = inTerminal(['logout'])
    await yes.shows('Delete the login in')
    yes.type('y')
    expect(await yes.ended()).toMatchObject({ code: 0 })
    expect(existsSync(authFile)).toBe(false)
    const again = await cli(['logout', '--yes'])
    expect(again).toMatchObject({ code: 0, stderr: `Nobody is logged in in ${codexHome}.\n` })
  })
})

describe('without a login', () => {
  it('account and doctor say so, and how to log in', async () => {
    const { cli } = await stage()
    expect(await cli(['account'])).toMatchObject({ code: 5, stdout: '', stderr: NOT_LOGGED_IN })
    const { code, stdout } = await cli(['account', '--json'])
    expect(code).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({ account: null, requiresOpenaiAuth: true })
    expect((await cli(['doctor'])).stdout).toContain('run `drawbridge login`')
  })

  it('a run with another home is told to log in there', async () => {
    const { cli, codexHome } = await stage()
    const { code, stdout } = await cli(['run', '--json', '--codex-home', codexHome, 'hi'])
    expect(code).toBe(5)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      status: 'failed',
      error: {
        code: 'not-logged-in',
        message: expect.stringContaining(`drawbridge login --codex-home ${codexHome}\``),
      },
    })
  })

  it('a provider that needs none is not asked for one', async () => {
    const { piped } = await cliStage(() => message('hello'))
    expect(await piped('run', 'hi')).toMatchObject({ code: 0, stdout: 'hello\n' })
    const account = await piped('account')
    expect(account).toMatchObject({ code: 0, stdout: expect.stringContaining('No login is needed') })
  })
})
