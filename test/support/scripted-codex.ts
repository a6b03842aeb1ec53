import { onTestFinished } from 'vitest'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { bundledCodex, RawCodex } from './raw-codex.ts'

interface Options {
  readonly model?: ScriptedModelOptions
  readonly home?: CodexHomeOptions
  /** Parameters of `thread/start`. */
  readonly thread?: Record<string, unknown>
}

/** The real codex with one thread, on a model that follows the script. All of it ends with the test. */
export async function openScriptedCodex(script: ModelScript, options: Options = {}) {
  const model = await startScriptedModel(script, options.model)
  onTestFinished(() => model.close())
  const home = await makeCodexHome(model, options.home)
  const workspace = await makeWorkspace()
  onTestFinished(() => Promise.all([home.remove(), workspace.remove()]).then(() => {}))
  const codex = new RawCodex(bundledCodex(), { env: { CODEX_HOME: home.path } })
  onTestFinished(() => codex.close())
  const cwd = workspace.path
  const policy = { sandbox: 'workspace-write', approvalPolicy: 'on-request' }
  const threadId = await codex.open({ cwd, ...policy, ...options.thread })
  return { codex, model, home, cwd, threadId }
}
