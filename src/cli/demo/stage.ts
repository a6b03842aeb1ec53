// Where the demo plays: a scripted model, a CODEX_HOME and a folder of its own. Nothing of the user's is touched.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { dataDir, type LocalHost, localHost } from '../../hosts/index.ts'
import { type ModelScript, makeCodexHome, makeWorkspace, startScriptedModel } from '../../testing/index.ts'

export interface Stage {
  readonly host: LocalHost
  /** The folder Codex works in. */
  readonly folder: string
  /** Deletes everything. End codex first. */
  close(): Promise<void>
}

export interface StageOptions {
  readonly env: NodeJS.ProcessEnv
  readonly script: ModelScript
  readonly files: Readonly<Record<string, string>>
}

/** Leaves nothing behind when it rejects. */
export async function openStage({ env, script, files }: StageOptions): Promise<Stage> {
  const dir = await makeFolder(dataDir({ env, platform: process.platform }))
  const model = await startScriptedModel(script)
  // Not in the data folder: commands cannot read that.
  let workspace: Awaited<ReturnType<typeof makeWorkspace>> | null = null
  const close = async () => {
    await model.close()
    await workspace?.remove()
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  try {
    const home = await makeCodexHome(model, { dir, config: QUIET })
    workspace = await makeWorkspace({ files })
    return { host: demoHost(env, home.path), folder: workspace.path, close }
  } catch (error) {
    await close()
    throw error
  }
}

// Codex would look for plugins and apps on the network, in vain.
const QUIET = { 'features.plugins': false, 'features.apps': false }

function demoHost(env: NodeJS.ProcessEnv, codexHome: string): LocalHost {
  // A proxy knows nothing of a model on loopback.
  const direct = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' }
  return localHost({ env, codexHome, extraEnv: direct })
}

async function makeFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(path.join(parent, 'demo-'))
}
