// A task's log on stdout: all of it is what was asked for, so none of it goes to stderr, and there is no status line.
import type { EventEnvelope, Task } from '../../api/index.ts'
import type { Surroundings } from '../process/index.ts'
import { TerminalView } from '../run/index.ts'
import { localMoment, Terminal } from '../screen/index.ts'
import { EventView } from './event-view.ts'

type Place = Pick<Surroundings, 'stdout' | 'useColour'>

export class LogView {
  readonly #view: EventView
  readonly #place: Place
  readonly #hasTimes: boolean
  /** Messages that are heard from their beginning. */
  readonly #begun = new Set<string>()
  #stamp = ''
  #isLineStart = true

  constructor({ threadId }: Pick<Task, 'threadId'>, place: Place, { hasTimes }: { hasTimes: boolean }) {
    const { stdout, useColour } = place
    const write = (text: string) => this.#write(text)
    const terminal = new Terminal({
      stdout: { write, isTTY: stdout.isTTY === true },
      stderr: { write },
      useColour: useColour && stdout.isTTY === true,
    })
    this.#place = place
    this.#hasTimes = hasTimes
    this.#view = new EventView(terminal, new TerminalView(terminal), { threadId })
  }

  event(envelope: EventEnvelope): void {
    if (this.#isTorn(envelope)) return
    this.#stamp = this.#hasTimes ? `${localMoment(envelope.at)}  ` : ''
    this.#view.event(envelope)
  }

  /** The rest of a message that began before the first event: it is shown when it is whole. */
  #isTorn({ event }: EventEnvelope): boolean {
    const { item, itemId } = Object(event.params) as { item?: { id?: string }; itemId?: string }
    if (event.method === 'item/started' && item?.id !== undefined) this.#begun.add(item.id)
    return event.method === 'item/agentMessage/delta' && !this.#begun.has(itemId ?? '')
  }

  #write(text: string): void {
    for (const piece of text.split(/(?<=\n)/)) {
      this.#place.stdout.write(this.#isLineStart ? `${this.#stamp}${piece}` : piece)
      this.#isLineStart = piece.endsWith('\n')
    }
  }
}
