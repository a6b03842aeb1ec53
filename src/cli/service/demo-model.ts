// Codex without an account: a scripted model on loopback and a codex home that leads to it, in the data folder. It is
// started when the first task on that home needs it, on the port it had before, so that app-servers find it again.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { AppServers } from '../../tasks/index.ts'
import { codexConfig, type ModelScript, type ScriptedModel, startScriptedModel } from '../../testing/index.ts'
import { demoHome } from './demo-home.ts'
import { demoScript } from './demo-script.ts'

// Codex would look for plugins and apps on the network, in vain.
const QUIET = { 'features.plugins': false, 'features.apps': false }

export class DemoModel {
  readonly #home: string
  readonly #script: ModelScript
  #started: Promise<ScriptedModel> | null = null

  constructor(dataDir: string, script: ModelScript = demoScript) {
    this.#home = demoHome(dataDir)
    this.#script = script
  }

  /** The app-servers of a service whose demo tasks find their model. */
  behind(appServers: AppServers): AppServers {
    const keyOf = (home: string | null) =>
      appServers.canonical({ codexPath: null, codexHome: home }).codexHome
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
    this.#started ??= this.#start()
    return this.#started
  }

  async close(): Promise<void> {
    await (await this.#started)?.close()
  }

  async #start(): Promise<ScriptedModel> {
    await mkdir(this.#home, { recursive: true, mode: 0o700 })
    const portFile = path.join(this.#home, '..', 'port')
    const port = Number(await readFile(portFile, 'utf8').catch(() => '0'))
    const model = await startScriptedModel(this.#script, { port }).catch(() =>
      startScriptedModel(this.#script),
    )
    await writeFile(portFile, new URL(model.url).port, { mode: 0o600 })
    await writeFile(path.join(this.#home, 'config.toml'), codexConfig(model, { config: QUIET }), {
      mode: 0o600,
    })
    return model
  }
}
