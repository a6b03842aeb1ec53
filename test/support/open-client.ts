import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type Codex, type CodexOptions, type Host, openCodex } from '../../src/codex/index.ts'
import { type LocalHostOptions, localHost } from '../../src/hosts/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { makeUsedHome } from './used-home.ts'

interface Options {
  readonly model?: ScriptedModelOptions
  readonly home?: CodexHomeOptions
  readonly host?: LocalHostOptions
  /** Puts something between the host and the client, such as a recorder. */
  readonly wrapHost?: (host: Host) => Host
  readonly client?: CodexOptions
}

/** The real codex behind our own client, on a model that follows the script. All of it ends with the test. */
export async function openClient(script: ModelScript, options: Options = {}) {
  const model = await startScriptedModel(script, options.model)
  onTestFinished(() => model.close())
  const home = await (options.host?.codexPath ? makeCodexHome : makeUsedHome)(model, options.home)
  const workspace = await makeWorkspace()
  onTestFinished(() => Promise.all([home.remove(), workspace.remove()]).then(() => {}))

  /** Starts one more app-server on the same home. */
  async function open(client: CodexOptions = {}): Promise<Codex> {
    const registryDir = path.join(home.path, 'app-servers')
    const host = localHost({ codexHome: home.path, registryDir, ...options.host })
    const opened = await openCodex(options.wrapHost?.(host) ?? host, { ...options.client, ...client })
    onTestFinished(() => opened.close())
    return opened
  }

  return { codex: await open(), open, model, home, cwd: workspace.path }
}
