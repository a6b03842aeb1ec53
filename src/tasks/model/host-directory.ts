// What tasks need of other machines. `hosts` has it; the composition root introduces them.
import type { ThreadEnvironment } from '../../codex/index.ts'

export interface HostDirectory {
  /** null: nobody has added a host of this name. Does not connect. */
  get(name: string): Promise<ThreadEnvironment | null>
}

export const NO_HOSTS: HostDirectory = { get: async () => null }
