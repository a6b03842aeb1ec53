// Single keys from a terminal. The terminal is in raw mode only while somebody listens, and is put back on every way out.
import { emitKeypressEvents } from 'node:readline'
import type { Surroundings } from '../process/index.ts'
import type { Key } from './prompt.ts'

interface Keypress {
  readonly name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

type Place = Pick<Surroundings, 'stdin' | 'interrupt' | 'interrupted' | 'onExit'>

export class Keyboard {
  readonly #place: Place
  #stop: (() => void) | null = null

  constructor(place: Place) {
    this.#place = place
    // A terminal that was closed fails late, too.
    place.stdin.on('error', () => this.#gone())
  }

  /** Hands over every key from now on. In raw mode Ctrl-C is a key too: it still interrupts. */
  listen(press: (key: Key) => void): void {
    if (this.#stop) return
    const { stdin, interrupt } = this.#place
    const onGone = () => this.#gone()
    const onKey = (text: string | undefined, { name = '', ctrl = false, meta = false }: Keypress) => {
      if (ctrl && name === 'c') interrupt()
      else press({ text: meta ? '' : (text ?? ''), name, isCtrl: ctrl })
    }
    emitKeypressEvents(stdin)
    stdin.on('keypress', onKey)
    stdin.on('end', onGone)
    stdin.setRawMode(true)
    stdin.resume()
    const forget = this.#place.onExit(() => stdin.setRawMode(false))
    this.#stop = () => {
      forget()
      stdin.off('keypress', onKey)
      stdin.off('end', onGone)
      stdin.setRawMode(false)
      stdin.pause()
    }
  }

  release(): void {
    this.#stop?.()
    this.#stop = null
  }

  #gone(): void {
    if (!this.#place.interrupted.aborted) this.#place.interrupt()
  }
}
