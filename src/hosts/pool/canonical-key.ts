import { homedir } from 'node:os'
import path from 'node:path'
import type { LocalHostOptions } from '../local/local-codex.ts'
import { realPath } from '../local/real-path.ts'
import type { AppServerKey } from './pooled-app-server.ts'

/** However they are written, the same codex and home are one key; the default home is always null. */
export function canonicalKey(
  { codexPath, codexHome, execHost }: AppServerKey,
  { env = process.env, extraEnv }: Pick<LocalHostOptions, 'env' | 'extraEnv'>,
): AppServerKey {
  const home = codexHome === null ? null : real(codexHome)
  const ownDefault = extraEnv?.CODEX_HOME || env.CODEX_HOME || path.join(env.HOME || homedir(), '.codex')
  return {
    // A bare name is looked up on PATH each time.
    codexPath: codexPath === null || path.basename(codexPath) === codexPath ? codexPath : real(codexPath),
    codexHome: home === real(ownDefault) ? null : home,
    execHost,
  }
}

function real(place: string): string {
  const whole = path.resolve(place)
  return realPath(whole) ?? whole
}
