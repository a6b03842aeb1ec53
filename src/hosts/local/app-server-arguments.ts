import { MARKER_VARIABLE } from '../processes.ts'

/** What codex is started with, so that it and whatever it runs can be recognised by the marker. */
export function appServerArguments(
  marker: string,
  settings: { readonly config: Readonly<Record<string, string>>; readonly args: readonly string[] },
): string[] {
  // A user's `shell_environment_policy` may keep our variables from the commands codex runs; this one stays.
  const marked = { [`shell_environment_policy.set.${MARKER_VARIABLE}`]: `"${marker}"`, ...settings.config }
  const overrides = Object.entries(marked).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  return ['app-server', ...overrides, ...settings.args]
}
