import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSettings, readStoreSettings, settingsFile } from './read-settings.ts'
import { toSettings } from './settings.ts'

function folderWith(settings?: unknown): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  if (settings !== undefined)
    writeFileSync(settingsFile(folder), typeof settings === 'string' ? settings : JSON.stringify(settings))
  return folder
}

describe('settings', () => {
  it('are complete without a file', () => {
    expect(readSettings(folderWith(), {})).toMatchObject({
      host: '127.0.0.1',
      port: null,
      maxWorking: 8,
      maxDepth: 2,
      notify: [],
      retention: { taskMaxAgeMs: null, eventMaxAgeMs: 90 * 86_400_000 },
      backup: { daily: true },
    })
  })

  it('come from the file, in the units the service uses', () => {
    const settings = readSettings(
      folderWith({
        targets: { team: 'slack:https://hooks.slack.com/services/x' },
        notify: ['team'],
        retention: { taskMaxAgeDays: 30 },
        appServers: { max: 2 },
        backup: { daily: false },
      }),
      {},
    )
    expect(settings.retention).toMatchObject({
      taskMaxAgeMs: 30 * 86_400_000,
      eventMaxAgeMs: 90 * 86_400_000,
    })
    expect(settings.appServers).toEqual({ maxAppServers: 2 })
    expect(settings.backup).toEqual({ daily: false })
    expect(settings.targets).toEqual({ team: 'slack:https://hooks.slack.com/services/x' })
  })

  it('protect the well-known places of logins unless a list says otherwise', () => {
    expect(readSettings(folderWith(), {}).protectedPaths).toContain('~/.ssh')
    expect(readSettings(folderWith({ protectedPaths: ['/x'] }), {}).protectedPaths).toEqual(['/x'])
  })

  it('give way to the environment', () => {
    const env = { DRAWBRIDGE_PORT: '0', DRAWBRIDGE_NOTIFY: 'local, team', DRAWBRIDGE_MAX_WORKING: '3' }
    expect(readSettings(folderWith({ port: 4200 }), env)).toMatchObject({
      port: 0,
      notify: ['local', 'team'],
      maxWorking: 3,
    })
  })

  it.each([
    ['{', /settings\.json is not JSON/],
    [{ maxWorkign: 3 }, /settings\.json: .*maxWorkign/],
    [{ maxWorking: 0 }, /settings\.json: maxWorking: /],
    [{ protectedPaths: ['~/.ssh', 'secrets'] }, /protectedPaths\.1: must begin with/],
    [{ smtp: { url: 'http://x', from: 'a@b' } }, /smtp\.url: must begin with smtps:/],
  ])('that are wrong are told by name: %j', (written, message) => {
    expect(() => readSettings(folderWith(written), {})).toThrow(message)
  })

  it('of the environment that are wrong are told by the name of the variable', () => {
    expect(() => readSettings(folderWith(), { DRAWBRIDGE_PORT: 'x' })).toThrow(/^DRAWBRIDGE_PORT: port: /)
  })
})

describe('the database', () => {
  const [ONE, OTHER] = ['postgres://me:pw-one@one/db', 'postgresql://me:pw-other@other/db']
  const databaseOf = (written: unknown, env: NodeJS.ProcessEnv) =>
    readStoreSettings(folderWith(written), env).database

  it('is SQLite unless something names another', () => {
    expect(databaseOf({}, {})).toBeNull()
    expect(databaseOf({ database: ONE }, {})).toBe(ONE)
    expect(databaseOf({}, { DATABASE_URL: ONE })).toBe(ONE)
    expect(databaseOf({}, { DATABASE_URL: ' ' })).toBeNull()
  })

  it('is the one of our own variable, then of the file, then of DATABASE_URL', () => {
    expect(databaseOf({ database: OTHER }, { DRAWBRIDGE_DATABASE_URL: ONE, DATABASE_URL: OTHER })).toBe(ONE)
    expect(databaseOf({ database: ONE }, { DATABASE_URL: OTHER })).toBe(ONE)
  })

  it('stays SQLite when our variable or the file says so', () => {
    expect(databaseOf({}, { DRAWBRIDGE_DATABASE_URL: 'sqlite', DATABASE_URL: 'mysql://x/y' })).toBeNull()
    expect(databaseOf({ database: null }, { DATABASE_URL: ONE })).toBeNull()
    expect(databaseOf({ database: ONE }, { DRAWBRIDGE_DATABASE_URL: 'sqlite' })).toBeNull()
  })

  it.each([
    [
      {},
      { DATABASE_URL: 'mysql://root:hunter2@db/shop' },
      /^DATABASE_URL is not .* set DRAWBRIDGE_DATABASE_URL/,
    ],
    [{}, { DRAWBRIDGE_DATABASE_URL: 'hunter2' }, /^DRAWBRIDGE_DATABASE_URL: database: must be the address/],
    [{ database: 'mysql://hunter2' }, {}, /settings\.json: database: must be the address/],
  ])('that is not PostgreSQL is refused without its address: %j %j', (written, env, message) => {
    expect(() => databaseOf(written, env)).toThrow(message)
    expect(() => databaseOf(written, env)).not.toThrow(/hunter2/)
  })

  it("of another program concerns only those that open Drawbridge's", () => {
    expect(readSettings(folderWith(), { DATABASE_URL: 'mysql://db/shop' }).database).toBeNull()
  })

  it('is not passed to codex', () => {
    const pass = (name: string) => ({ passEnv: [name] })
    expect(() => databaseOf(pass('DATABASE_URL'), { DATABASE_URL: ONE })).toThrow(/^passEnv: DATABASE_URL is/)
    expect(() => databaseOf(pass('DRAWBRIDGE_DATABASE_URL'), {})).toThrow(/passEnv\.0: codex must not see/)
    expect(
      databaseOf(pass('DATABASE_URL'), { DATABASE_URL: 'mysql://x', DRAWBRIDGE_DATABASE_URL: ONE }),
    ).toBe(ONE)
  })
})

describe('the worker', () => {
  it('has a name and labels, from the file or the environment', () => {
    const leaseMs = 30_000
    expect(readSettings(folderWith(), {}).worker).toEqual({ labels: [], leaseMs })
    const written = { worker: { name: 'north', labels: ['gpu'] } }
    expect(readSettings(folderWith(written), {}).worker).toEqual({ name: 'north', labels: ['gpu'], leaseMs })
    const env = { DRAWBRIDGE_WORKER_NAME: 'south', DRAWBRIDGE_WORKER_LABELS: 'gpu, big' }
    expect(readSettings(folderWith(written), env).worker).toEqual({
      name: 'south',
      labels: ['gpu', 'big'],
      leaseMs,
    })
  })

  it.each([
    [
      { DRAWBRIDGE_WORKER_LABELS: 'two words' },
      /^DRAWBRIDGE_WORKER_LABELS: worker\.labels\.0: a label is one word/,
    ],
    [{ DRAWBRIDGE_WORKER_NAME: 'a\nb' }, /^DRAWBRIDGE_WORKER_NAME: worker\.name: must be one line/],
  ])('is refused when it is not one: %j', (env, message) => {
    expect(() => readSettings(folderWith(), env)).toThrow(message)
  })
})

describe('tools', () => {
  const read = (tools: unknown) => toSettings({ tools })

  it('are modules or MCP servers in the words of codex', () => {
    const tools = {
      weather: { module: 'weather.mjs', labels: ['sailing'] },
      github: { server: { command: 'github-mcp', args: ['--stdio'], env_vars: ['GITHUB_TOKEN'] } },
      remote: { server: { url: 'https://mcp.example/mcp', bearer_token_env_var: 'REMOTE_TOKEN' } },
    }
    const found = read(tools)
    expect(found).toMatchObject({ settings: { tools } })
    expect(read({})).toMatchObject({ settings: { tools: {} } })
  })

  it.each([
    [{ 'two words': { module: 'a.mjs' } }, 'letters, digits'],
    [{ drawbridge_own: { module: 'a.mjs' } }, 'taken by Drawbridge'],
    [{ a: {} }, 'tools.a: must have either module or server'],
    [{ a: { module: 'a.mjs', server: { url: 'https://x.example' } } }, 'either module or server'],
    [{ a: { server: { command: './run.sh' } } }, 'tools.a.server.command: must be absolute'],
    [{ a: { server: { command: 'x', url: 'https://x.example' } } }, 'either command or url'],
    [{ a: { server: { command: 'x', comand: 'y' } } }, 'comand'],
    [{ a: { server: { command: 'x', env_vars: ['A B'] } } }, 'the name of a variable'],
    [{ a: { server: { command: 'x', cwd: 'here' } } }, 'tools.a.server.cwd: must be absolute'],
  ])('that are wrong are told: %j', (tools, problem) => {
    expect(read(tools)).toEqual({ problem: expect.stringContaining(problem) })
  })
})

describe('hooks', () => {
  const problem = (hook: object) => toSettings({ hooks: { install: hook } })

  it('have a command or a module, and complete fields but for those that depend on the event', () => {
    const { hooks } = readSettings(
      folderWith({ hooks: { install: { on: 'before', command: 'npm ci' } } }),
      {},
    )
    expect(hooks.install).toEqual({
      ...{ on: 'before', command: 'npm ci', labels: [], folders: [], passEnv: [] },
      ...{ onlyTrusted: false, repeatable: false },
    })
  })

  it.each([
    [{ on: 'before' }, 'hooks.install: must have either command or module'],
    [{ on: 'before', command: 'a', module: 'b' }, 'hooks.install: must have either command or module'],
    [{ on: 'never', command: 'a' }, 'hooks.install.on: '],
    [{ on: 'after', command: 'a', folders: ['shop'] }, 'hooks.install.folders.0: must be absolute'],
    [{ on: 'after', command: 'a', onFailure: 'retry' }, 'hooks.install.onFailure: '],
    [{ on: 'after', command: 'a', timeoutMs: 5 }, 'hooks.install.timeoutMs: '],
    [{ on: 'after', command: 'a', passEnv: ['DRAWBRIDGE_ACCOUNT_KEY'] }, 'hooks.install.passEnv.0: '],
    [{ on: 'after', command: 'a', shell: 'bash' }, 'hooks.install: Unrecognized key'],
  ])('%j is refused', (hook, said) => {
    expect(problem(hook)).toMatchObject({ problem: expect.stringContaining(said) })
  })
})
