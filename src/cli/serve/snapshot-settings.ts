import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Settings } from '../../config/index.ts'
import { type KeySource, readKey } from '../../util/key-source.ts'
import { type SnapshotSettings, WorkspaceError } from '../../workspaces/index.ts'
import { defaultCodexHome } from '../trust/index.ts'

const KEY_VARIABLE = 'DRAWBRIDGE_SNAPSHOT_KEY'

export interface SnapshotSettingsPlace {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly settings: Pick<Settings, 'workspaces'>
}

/** The snapshots of a service, as its settings want them. */
export function snapshotSettings({ dataDir, env, settings }: SnapshotSettingsPlace): SnapshotSettings {
  const { keyCommand, ...snapshots } = settings.workspaces.snapshots
  const file = path.join(dataDir, 'snapshot-key')
  const source: KeySource = env[KEY_VARIABLE]
    ? { from: 'variable', name: KEY_VARIABLE, value: env[KEY_VARIABLE] }
    : keyCommand === null
      ? { from: 'file' }
      : { from: 'command', command: keyCommand }
  const isThere = () => source.from !== 'file' || existsSync(file)
  const fail = (why: string) =>
    new WorkspaceError('snapshot-key', `the key for snapshots cannot be had: ${why}`)
  return {
    ...snapshots,
    codexHome: path.resolve(defaultCodexHome(env)),
    machine: hostname(),
    key: async () =>
      snapshots.encrypt || isThere() ? readKey(source, { file, mayMake: true, whenMissing: '', fail }) : null,
  }
}
