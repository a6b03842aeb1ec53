// The machines that workspaces are on, each with its git and its folders.
import { localMachine, type Machine } from '../hosts/index.ts'
import { Git } from './git/run-git.ts'
import type { MakeParts } from './make.ts'
import { placesOf, rootBeside } from './places.ts'

export interface MachinesOptions {
  readonly dataDir: string
  /** Where workspaces of this machine are made; null: beside the data folder. */
  readonly root: string | null
  readonly env: NodeJS.ProcessEnv
  /** A host, not connected yet; rejects when there is none of this name. */
  readonly machineOf: (host: string) => Promise<Machine>
  /** Between the steps of what is done; tests end the process there. */
  readonly atStep?: (name: string) => void | Promise<void>
}

export class Machines {
  readonly #options: MachinesOptions
  readonly #here: Git
  readonly #root: string
  /** One that is removed and added again is another machine. */
  readonly #there = new WeakMap<Machine, Git>()

  constructor(options: MachinesOptions) {
    this.#options = options
    const { env, dataDir, root } = options
    this.#root = root ?? rootBeside(dataDir)
    this.#here = new Git(localMachine({ env, hidden: dataDir, work: this.#root }))
  }

  /**
   * What is needed on a machine; null: this one. Rejects when that is a host that is away. `make`: the folders are there then,
   * and named as they really are.
   */
  async partsOn(host: string | null, { make = false }: { readonly make?: boolean } = {}): Promise<MakeParts> {
    const { dataDir, atStep = () => {} } = this.#options
    const git = host === null ? this.#here : await this.#gitOn(host)
    const isKnown = host === null && !make
    const folders = isKnown ? { hidden: dataDir, work: this.#root } : await git.machine.folders()
    return { git, places: placesOf(folders), atStep }
  }

  async #gitOn(host: string): Promise<Git> {
    const machine = await this.#options.machineOf(host)
    const git = this.#there.get(machine) ?? new Git(machine)
    this.#there.set(machine, git)
    return git
  }
}
