// What tasks need of other machines. `hosts` has it; the composition root introduces them.
import type { ThreadEnvironment } from '../../codex/index.ts'

/**
 * exec: codex and its login are on this machine, commands run on the host. remote: codex and its login are on the host, and
 * its turns go on while this machine is off.
 */
export type HostMode = 'exec' | 'remote'

export interface HostDirectory {
  /** null: nobody has added a host of this name. Does not connect. */
  get(name: string): Promise<ThreadEnvironment | null>
  /** Of a host that is known. Absent: all are in exec mode. */
  modeOf?(name: string): Promise<HostMode>
}

export const NO_HOSTS: HostDirectory = { get: async () => null }
