import type { Protection } from '../../codex/index.ts'
import { MARKER_VARIABLE } from '../processes.ts'
import { profileConfig } from './protection.ts'

/** What codex is started with, so that it and whatever it runs can be recognised by the marker. */
export function appServerArguments(
  marker: string,
  {
    protection,
    ...settings
  }: {
    readonly protection: Protection | null
    readonly config: Readonly<Record<string, string>>
    readonly args: readonly string[]
  },
): string[] {
  // Commands never see variables whose names say key, secret or token, whatever the user's configuration says.
  const clean = { 'shell_environment_policy.ignore_default_excludes': 'false' }
  // A user's `shell_environment_policy` may keep our variables from the commands codex runs; this one stays.
  const marked = {
    ...clean,
    [`shell_environment_policy.set.${MARKER_VARIABLE}`]: `"${marker}"`,
    ...settings.config,
  }
  const profiles = protection ? profileConfig(protection) : {}
  const overrides = Object.entries({ ...marked, ...profiles }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ])
  return ['app-server', ...overrides, ...settings.args]
}
