import {
  makeCodexHome,
  makeWorkspace,
  message,
  type Reply,
  type ScratchFolder,
  type ScriptedModel,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { WatchedHost } from './watched-host.ts'

/** A host with the real codex on a scripted model. */
class RealHost extends WatchedHost {
  readonly cwd: string
  readonly #made: { model: ScriptedModel; home: ScratchFolder; workspace: ScratchFolder }

  constructor(made: { model: ScriptedModel; home: ScratchFolder; workspace: ScratchFolder }) {
    super({ codexPath: bundledCodex(), codexHome: made.home.path })
    this.cwd = made.workspace.path
    this.#made = made
  }

  protected override async release(): Promise<void> {
    await this.#made.model.close()
    await Promise.all([this.#made.home.remove(), this.#made.workspace.remove()])
  }
}

/** The model says this once, and from then on that it is back. */
export async function realHost(first: Reply): Promise<RealHost> {
  const model = await startScriptedModel([first, message('back again')], { repeatLast: true })
  return new RealHost({ model, home: await makeCodexHome(model), workspace: await makeWorkspace() })
}
