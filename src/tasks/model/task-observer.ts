/** Hears what happens to tasks, for metrics and logs. */
export interface TaskObserver {
  eventsStored(count: number): void
  turnEnded(status: string): void
  /** codex has answered a request of ours. */
  rpcAnswered?(answered: {
    readonly method: string
    readonly seconds: number
    readonly isError: boolean
  }): void
  incident(incident: { readonly type: string; readonly message: string }): void
  /** The database did not answer a look of ours, which is repeated. Without it, it is an incident. */
  databaseTrouble?(error: Error): void
  /** The store is gone: the service must stop. */
  broken(error: unknown): void
}
