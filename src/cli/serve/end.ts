// How the service ends: once its turns are over and with its app-servers, or at once and alone.
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../../codex/index.ts'
import { EXIT, errorText } from '../process/index.ts'
import type { Service } from './app.ts'

export type End =
  | { readonly kind: 'drain' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'broken'; readonly error: unknown }

/** Without its store there is nothing to wait for, but codex should be let go of in order. */
const BROKEN_CLOSE_MS = 5_000

/** What tells the service to end, as it comes. A signal means to leave. */
export class Ends {
  readonly #told: End[] = []
  #wake: (() => void) | null = null

  constructor(interrupted: AbortSignal) {
    const leave = () => this.tell({ kind: 'leave' })
    if (interrupted.aborted) leave()
    interrupted.addEventListener('abort', leave, { once: true })
  }

  tell(end: End): void {
    this.#told.push(end)
    this.#wake?.()
  }

  async next(): Promise<End> {
    for (;;) {
      const first = this.#told.shift()
      if (first) return first
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export interface EndOptions {
  readonly tell: (line: string) => void
  readonly leave: (code: number) => void
}

type Ending = Pick<Service, 'running' | 'drain' | 'close'>

/** Resolves with the exit code when the service is closed. */
export async function seeToTheEnd(service: Ending, ends: Ends, { tell, leave }: EndOptions): Promise<number> {
  const first = await ends.next()
  const end = first.kind === 'drain' ? await drained(service, ends, tell) : first
  if (end.kind === 'broken') {
    const why = hasCode(end.error, 'worker-id-in-use', 'database-too-new')
      ? 'The service ends'
      : 'The database cannot be written any more, so the service ends'
    tell(`${why}: ${errorText(end.error)}`)
    await Promise.race([service.close({ endAppServers: false }).catch(() => {}), delay(BROKEN_CLOSE_MS)])
    leave(EXIT.failed)
    return EXIT.failed
  }
  await service.close({ endAppServers: end.kind === 'drain' })
  tell(
    end.kind === 'drain'
      ? 'Stopped; all app-servers have ended.'
      : 'Stopped; running turns go on and are taken over at the next start.',
  )
  return EXIT.done
}

/** Waits for the turns that run, unless it is told meanwhile not to. */
async function drained(service: Ending, ends: Ends, tell: EndOptions['tell']): Promise<End> {
  const running = await service.running().catch(() => null)
  tell(`Stopping: no turn begins any more, ${running?.length ?? 'some'} still to end.`)
  const controller = new AbortController()
  const sooner = nextButDrain(ends).then((end) => {
    controller.abort()
    return end
  })
  try {
    await service.drain({ signal: controller.signal })
  } catch (error) {
    tell(`It cannot be told which turns run, so none is waited for: ${errorText(error)}`)
    return { kind: 'leave' }
  }
  return controller.signal.aborted ? sooner : { kind: 'drain' }
}

async function nextButDrain(ends: Ends): Promise<End> {
  for (;;) {
    const end = await ends.next()
    if (end.kind !== 'drain') return end
  }
}
