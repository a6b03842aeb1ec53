/** Files of a stage, as they are seen from here. */
export interface MachineFolders {
  readonly root: string
  /** Of the user on the machine. */
  readonly home: string
  /** Of sshd: its settings, keys and log. */
  readonly server: string
}

/** What sshd runs on. Paths are those of the machine. */
export interface Machine {
  readonly user: string
  readonly home: string
  readonly server: string
  readonly sshdRoot: string
  readonly address: string
  /** Who must own what the user reads; null: us. */
  readonly own: { readonly uid: number; readonly gid: number } | null
  /** Lines for the settings of sshd. */
  readonly settings: readonly string[]
  /** `NAME=value` in the environment of what runs there; empty where nothing else runs. */
  readonly mark: string
  /** Runs a program there, without ssh, and gives what it printed. */
  readonly run: (command: readonly string[], options?: { asRoot?: boolean }) => Promise<string>
  /** null: it has no cable of its own. */
  readonly cut: (() => Promise<void>) | null
  readonly heal: (() => Promise<void>) | null
  /** Every process there is killed; nothing is started again. */
  readonly reboot: () => Promise<void>
  /** Files in this folder find no room from now on; or all that can be done is to limit how large a file may get. */
  readonly noRoom: ((place: string) => Promise<void>) | 'limit-file-size'
  readonly readOnlyHome: () => Promise<void>
  /** What listens on this port of our loopback can be reached at the same port of the machine's. */
  readonly offer: (port: number) => Promise<void>
  readonly close: () => Promise<void>
}
