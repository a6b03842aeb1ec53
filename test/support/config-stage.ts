import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { makeWorkspace } from '../../src/testing/index.ts'
import { type CliEnd, runCli } from './run-cli.ts'
import { runInTerminal, type TerminalRun } from './run-in-terminal.ts'

/** A codex home that needs no network, as the head of a config.toml. */
export const QUIET_CONFIG = `features.plugins = false
features.shell_snapshot = false
check_for_update_on_startup = false
analytics.enabled = false
`

interface Files {
  /** Below the home folder of the user. */
  readonly user?: Readonly<Record<string, string>>
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A user with files of other applications, and a CODEX_HOME. Nothing of the real user is seen or changed. */
export async function configStage({ user = {}, config = QUIET_CONFIG, env: more = {} }: Files = {}) {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const [home, codexHome, data] = ['user', 'codex', 'data'].map((name) => path.join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [home, codexHome]) mkdirSync(each)
  const file = path.join(codexHome, 'config.toml')
  writeFileSync(file, config)
  for (const [name, text] of Object.entries(user)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    CODEX_HOME: codexHome,
    DRAWBRIDGE_HOME: data,
    ...more,
  }
  return {
    home,
    codexHome,
    file,
    env,
    text: () => readFileSync(file, 'utf8'),
    config: (...args: string[]): Promise<CliEnd> =>
      runCli(['config', ...args], { env, cwd: folder.path, timeoutMs: 55_000 }),
    inTerminal: (...args: string[]): TerminalRun =>
      runInTerminal(['config', ...args], { env, cwd: folder.path }),
  }
}

/** The server of `test/fixtures`, as an application's entry has it. */
export function realServer(env: Readonly<Record<string, string>> = {}) {
  return { command: process.execPath, args: [path.resolve('test/fixtures/mcp-server.mjs')], env }
}
