import path from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeWorkspace,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { FASTER_NODE } from '../faults/processes.ts'
import { type CliEnd, runCli } from './run-cli.ts'
import { runInTerminal, type TerminalRun } from './run-in-terminal.ts'
import { makeUsedHome } from './used-home.ts'

/** A workspace and a CODEX_HOME whose model follows the script, to run the CLI in. All of it ends with the test. */
export async function cliStage(script: ModelScript, home: CodexHomeOptions = {}) {
  const model = await startScriptedModel(script)
  const codexHome = await makeUsedHome(model, home)
  const workspace = await makeWorkspace()
  onTestFinished(async () => {
    await model.close()
    await Promise.all([codexHome.remove(), workspace.remove()])
  })
  const cwd = workspace.path
  const drawbridgeHome = path.join(codexHome.path, 'drawbridge')
  const env = { ...FASTER_NODE, CODEX_HOME: codexHome.path, DRAWBRIDGE_HOME: drawbridgeHome }
  return {
    model,
    cwd,
    codexHome: codexHome.path,
    /** With nobody there. */
    piped: (...args: string[]): Promise<CliEnd> => runCli(args, { env, cwd }),
    inTerminal: (args: readonly string[], more: Parameters<typeof runInTerminal>[1] = {}): TerminalRun =>
      runInTerminal(args, { ...more, cwd, env: { ...env, ...more.env } }),
  }
}
