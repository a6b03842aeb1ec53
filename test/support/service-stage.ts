// The command line with a service behind it: a data folder, a codex home whose model follows a script, and a folder to
// work in. The service, its app-servers and all they started have ended when the test has.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Approval, connect, readToken, type Task } from '../../src/api/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeWorkspace,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { eventually, FASTER_NODE, processesTagged, TAG_VARIABLE } from '../faults/processes.ts'
import { type CliEnd, runCli } from './run-cli.ts'
import { runInTerminal, type TerminalRun } from './run-in-terminal.ts'
import { databaseEnv } from './test-store.ts'
import { makeUsedHome } from './used-home.ts'

type CliOptions = NonNullable<Parameters<typeof runCli>[1]>

export async function serviceStage(script: ModelScript, home: CodexHomeOptions = {}) {
  const model = await startScriptedModel(script)
  const codexHome = await makeUsedHome(model, home)
  const workspace = await makeWorkspace()
  const cwd = workspace.path
  const dataDir = path.join(codexHome.path, 'drawbridge')
  const tag = randomUUID()
  const env: Record<string, string> & { CODEX_HOME: string } = {
    ...FASTER_NODE,
    [TAG_VARIABLE]: tag,
    CODEX_HOME: codexHome.path,
    DRAWBRIDGE_HOME: dataDir,
    DRAWBRIDGE_PORT: '0',
    ...(await databaseEnv()),
  }

  const cli = (args: readonly string[], more: CliOptions = {}): Promise<CliEnd> =>
    runCli(args, { cwd, ...more, env: { ...env, ...more.env } })
  /** For commands that succeed: what they print for programs. */
  const json = async <T = Task>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await cli([...args, '--json'])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return JSON.parse(stdout) as T
  }
  const record = () =>
    JSON.parse(readFileSync(path.join(dataDir, 'service.json'), 'utf8')) as { pid: number; url: string }
  onTestFinished(async () => {
    const asked = () => cli(['stop', '--kill'])
    await asked().catch(() => {})
    // What a test has killed or left is ended by the next service.
    if (processesTagged(tag).some((line) => line.includes('app-server'))) {
      await cli(['task', 'list'])
      await asked()
    }
    await eventually(
      () => processesTagged(tag).length === 0,
      () => `left: ${processesTagged(tag).join('; ')}`,
    )
    await model.close()
    await Promise.all([codexHome.remove(), workspace.remove()])
  })
  return {
    model,
    cwd,
    codexHome: codexHome.path,
    dataDir,
    env,
    tag,
    cli,
    json,
    start: (prompt: string, ...args: string[]): Promise<Task> => json('task', 'start', prompt, ...args),
    /** The one question that is open, as soon as there is one. */
    async question(): Promise<Approval> {
      // Asked without a process for each look. The service may not be there yet: then this throws, and is tried again.
      const count = async () => {
        const client = connect({ url: record().url, token: readToken(dataDir)!, actor: 'test' })
        return (await client.approvals({ status: 'pending' })).items.length
      }
      await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(0)
      return (await json<Approval[]>('approvals'))[0]!
    },
    record,
    inTerminal: (args: readonly string[]): TerminalRun =>
      runInTerminal(args, { cwd, env, timeoutMs: 50_000 }),
  }
}
