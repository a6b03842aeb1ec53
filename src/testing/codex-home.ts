import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeScratchFolder, type ScratchFolder } from './scratch-folder.ts'

export type ConfigValue =
  | string
  | number
  | boolean
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue }

export interface CodexHomeOptions {
  /** The folder to make it in; the user's cache folder by default. Not a temp folder: codex refuses those. */
  readonly dir?: string
  /** `scripted` is unknown to codex, which then offers `exec_command` and no code mode. */
  readonly modelName?: string
  /** Dotted keys of config.toml. They win over what is set here; `null` takes a key out. */
  readonly config?: Readonly<Record<string, ConfigValue | null>>
  /** Put at the end of config.toml as it is, for tables such as `[mcp_servers.x]`. */
  readonly toml?: string
}

/** Makes a throw-away CODEX_HOME whose config.toml sends codex to this model, without an account. */
export async function makeCodexHome(
  model: { readonly url: string },
  options: CodexHomeOptions = {},
): Promise<ScratchFolder> {
  const home = await makeScratchFolder('codex-home', options.dir)
  await writeFile(path.join(home.path, 'config.toml'), codexConfig(model, options))
  return home
}

/** The config.toml of such a home, for one that is kept. */
export function codexConfig(
  model: { readonly url: string },
  options: Omit<CodexHomeOptions, 'dir'> = {},
): string {
  const keys = { ...defaultConfig(model.url, options.modelName ?? 'scripted'), ...options.config }
  const lines = Object.entries(keys).map(([key, value]) =>
    value === null ? '' : `${key} = ${toToml(value)}\n`,
  )
  return `${lines.join('')}${options.toml ?? ''}\n`
}

// All keys are dotted and at the top, so the caller's TOML may still begin with plain keys.
function defaultConfig(url: string, model: string): Record<string, ConfigValue> {
  return {
    model,
    model_provider: 'scripted',
    'model_providers.scripted.name': 'scripted',
    'model_providers.scripted.base_url': url,
    'model_providers.scripted.wire_api': 'responses',
    'model_providers.scripted.requires_openai_auth': false,
    'model_providers.scripted.request_max_retries': 0,
    'model_providers.scripted.stream_max_retries': 0,
    // A login shell per thread: slow, and it brings the developer's profile into the test.
    'features.shell_snapshot': false,
    // What the developer's profile prints would end up in the output of commands. The level is for bash: where the
    // sandbox forbids network calls, a first-level bash takes itself for a remote shell and reads ~/.bashrc.
    allow_login_shell: false,
    'shell_environment_policy.set.SHLVL': '1',
    // From 0.150 on a refused connection would be retried for ever.
    'features.unbounded_connection_retries': false,
    check_for_update_on_startup: false,
    // Every start on a new home would fetch the plugin marketplace with git from the internet.
    'features.plugins': false,
    // Codex looks for .git in every parent folder, and for an untrusted folder each look is a sandbox of its own.
    project_root_markers: [],
    'analytics.enabled': false,
  }
}

function toToml(value: ConfigValue): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)} = ${toToml(field)}`)
  return `{ ${fields.join(', ')} }`
}
