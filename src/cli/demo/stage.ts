// Where the demo plays for one command: a model, a CODEX_HOME and a sample of its own. Nothing of the user's is touched.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { dataDir } from '../../hosts/index.ts'
import { makeWorkspace, startScriptedModel } from '../../testing/index.ts'
import { writeDemoHome } from './demo-config.ts'
import { makeSample, samplesFolder } from './sample.ts'
import { demoStory } from './story.ts'

export interface Stage {
  readonly codexHome: string
  /** The folder Codex works in. */
  readonly folder: string
  /** Deletes everything. End codex first. */
  close(): Promise<void>
}

export interface StageOptions {
  readonly env: NodeJS.ProcessEnv
  readonly codexPath: string | undefined
  readonly isPaced: boolean
}

/** Leaves nothing behind when it rejects. */
export async function openStage({ env, codexPath, isPaced }: StageOptions): Promise<Stage> {
  const home = await makeFolder(dataDir({ env, platform: process.platform }))
  const model = await startScriptedModel(demoStory({ isPaced }))
  let workspace: Awaited<ReturnType<typeof makeWorkspace>> | null = null
  const close = async () => {
    await model.close()
    await workspace?.remove()
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  try {
    await writeDemoHome(home, model, { env, codexPath })
    workspace = await makeWorkspace({ dir: samplesFolder(env) })
    const folder = path.join(workspace.path, 'toll')
    await makeSample(folder, env)
    return { codexHome: home, folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function makeFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(path.join(parent, 'demo-'))
}
