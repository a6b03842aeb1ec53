// The settings of a codex that runs on the demo model.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { localHost } from '../../hosts/index.ts'
import { codexConfig } from '../../testing/index.ts'

const MODEL = 'drawbridge-demo'
const CATALOG_MS = 10_000

export interface DemoHomeOptions {
  readonly env: NodeJS.ProcessEnv
  readonly codexPath?: string
}

/** Writes the config.toml that leads to this model into the home, which is made where it is missing. */
export async function writeDemoHome(
  home: string,
  model: { readonly url: string },
  { env, codexPath }: DemoHomeOptions,
): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const { path: codex } = await localHost({ env, codexPath, codexHome: home }).inspect()
  const catalog = await ownCatalog(codex, { ...env, CODEX_HOME: home })
  const catalogFile = path.join(home, 'models.json')
  if (catalog) await writeFile(catalogFile, catalog, { mode: 0o600 })
  const config = {
    // Codex would look for plugins and apps on the network, in vain.
    'features.plugins': false,
    'features.apps': false,
    'tools.update_plan.enabled': true,
    'shell_environment_policy.set.PATH': pathWithNode(env),
    ...(catalog && { model_catalog_json: catalogFile }),
  }
  const text = codexConfig(model, { modelName: MODEL, config })
  await writeFile(path.join(home, 'config.toml'), text, { mode: 0o600 })
}

/** The Node on the PATH may be too old, or missing: the demo runs on the one that we run on. */
function pathWithNode(env: NodeJS.ProcessEnv): string {
  return [path.dirname(process.execPath), env.PATH].filter(Boolean).join(path.delimiter)
}

/**
 * Codex warns of a model that is not in its catalogue. The fields of an entry change with its version, so ours is one of
 * its own under another name. null, and a warning, where codex does not tell.
 */
async function ownCatalog(codex: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(codex, ['debug', 'models', '--bundled'], {
      env,
      timeout: CATALOG_MS,
      maxBuffer: 64 << 20,
    })
    const { models } = JSON.parse(stdout) as { models: readonly Record<string, unknown>[] }
    // One that calls tools by itself, and not from code.
    const like = models.find(({ tool_mode }) => !String(tool_mode ?? '').includes('code_mode'))
    return like ? JSON.stringify({ models: [{ ...like, ...NAMED }] }) : null
  } catch {
    return null
  }
}

const NAMED = {
  slug: MODEL,
  display_name: 'Drawbridge demo',
  description: 'Scripted, on this machine.',
  upgrade: null,
  availability_nux: null,
}
