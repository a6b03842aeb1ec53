/** What a worker tells the others. Ids only: what they stand for is read from the database. */
export type News =
  | {
      /** Events of a task are stored up to this sequence; `hasOwn`: some of them are `drawbridge/*`. */
      readonly kind: 'events'
      readonly taskId: string
      readonly seq: number
      readonly hasOwn?: boolean
    }
  /** There is a command for this worker. */
  | { readonly kind: 'command'; readonly workerId: string }
  /** A command has its result. */
  | { readonly kind: 'result'; readonly commandId: string }
  /** A task waits for a worker. */
  | { readonly kind: 'queue' }

export interface BusListener {
  news(news: News): void
  /** News may have been missed: look for everything. Called after every (re)connect. */
  gap(): void
}

/** Tells other workers that there is something to read. It only saves time: everything told is found by polling too. */
export interface Bus {
  /** Never throws, never waits. Coalesced: the newest sequence of each task, one NOTIFY for many. */
  tell(news: News): void
  /** Hears what other workers tell, not what this one does. Returns what ends it. */
  listen(listener: BusListener): () => void
  /** Whether news arrive. False while there is no connection, and when something between us and the server loses them. */
  readonly isListening: boolean
  /** Tells what is still to be told, if the database takes it at once. */
  close(): Promise<void>
}
