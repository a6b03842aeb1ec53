// Codex without an account: the demo model on loopback and a codex home that leads to it, in the data folder. It is
// started when the first task on that home needs it, on the port it had before, so that app-servers find it again.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { AppServers } from '../../tasks/index.ts'
import { type ScriptedModel, startScriptedModel } from '../../testing/index.ts'
import { demoStory, writeDemoHome } from '../demo/index.ts'
import { demoHome } from './demo-home.ts'

export class DemoModel {
  readonly #home: string
  readonly #env: NodeJS.ProcessEnv
  #started: Promise<ScriptedModel> | null = null

  constructor(dataDir: string, env: NodeJS.ProcessEnv) {
    this.#home = demoHome(dataDir)
    this.#env = env
  }

  /** The app-servers of a service whose demo tasks find their model. */
  behind(appServers: AppServers): AppServers {
    const keyOf = (home: string | null) =>
      appServers.canonical({ codexPath: null, codexHome: home, execHost: null }).codexHome
    const open = async (home: string | null) => {
      if (home === this.#home || keyOf(home) === keyOf(this.#home)) await this.open()
    }
    return {
      canonical: (key) => appServers.canonical(key),
      adopt: async (options) => {
        const adopted = await appServers.adopt(options)
        for (const { key } of adopted) await open(key.codexHome)
        return adopted
      },
      get: async (key, options) => {
        await open(key.codexHome)
        return appServers.get(key, options)
      },
      list: () => appServers.list(),
      release: () => appServers.release(),
    }
  }

  open(): Promise<ScriptedModel> {
    this.#started ??= this.#start().catch((error: unknown) => {
      // What was in the way may be gone at the next task.
      this.#started = null
      throw error
    })
    return this.#started
  }

  async close(): Promise<void> {
    const model = await this.#started?.catch(() => null)
    await model?.close()
  }

  async #start(): Promise<ScriptedModel> {
    const story = demoStory({ isPaced: true })
    const portFile = path.join(this.#home, '..', 'port')
    const port = Number(await readFile(portFile, 'utf8').catch(() => '0'))
    const model = await startScriptedModel(story, { port }).catch(() => startScriptedModel(story))
    try {
      await writeDemoHome(this.#home, model, { env: this.#env })
      await writeFile(portFile, new URL(model.url).port, { mode: 0o600 })
      return model
    } catch (error) {
      await model.close()
      throw error
    }
  }
}
