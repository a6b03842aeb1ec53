import type { Stage } from './run.ts'
import type { Found } from './turn-watch.ts'

/** What is to be done next for a task at work. */
export type Step =
  /** Is there a message for it? */
  | { readonly do: 'look' }
  /** Its next message waits for a place among those that work. */
  | {
      readonly do: 'queue'
      readonly account: string
      readonly queuedAt: number
      /** Something holds its account. */
      readonly isHeld: boolean
    }
  /** It has a place: the thread is opened and the message sent. */
  | { readonly do: 'begin' }
  /** A turn is seen to its end. */
  | { readonly do: 'watch'; readonly found: Found }
  /** The connection broke while the turn was being started: did codex get it? Only its history can tell. */
  | { readonly do: 'recover' }
  /** A turn that was begun elsewhere becomes the task's. */
  | { readonly do: 'join'; readonly found: Found }
  /** Its thread, in which something happens elsewhere, is opened and looked at. */
  | { readonly do: 'meet' }
  /** It is started again after this time. */
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'rest' }

export const STAGES: Readonly<Record<Step['do'], Stage>> = {
  look: 'looking',
  queue: 'queueing',
  begin: 'beginning',
  watch: 'watching',
  recover: 'recovering',
  join: 'joining',
  meet: 'joining',
  pause: 'pausing',
  rest: 'resting',
}

export const LOOK: Step = { do: 'look' }
export const REST: Step = { do: 'rest' }
