// The launcher, on a Node too old for us, runs us as a child. A terminal then signals both, `kill` only the launcher,
// which passes on how many of each signal it got.
import { setTimeout as delay } from 'node:timers/promises'

type Interrupt = (signal: NodeJS.Signals) => void

interface PassedOn {
  readonly signal: NodeJS.Signals
  /** How many of them the launcher got. */
  readonly count: number
}

/** A signal that both got has arrived here by now, however busy the machine is. */
const BOTH_MS = 50

/** Calls back for each signal, ours or the launcher's, once. */
export function onSignals(signals: readonly NodeJS.Signals[], interrupt: Interrupt): void {
  const counts = new Map<NodeJS.Signals, number>()
  const countOf = (signal: NodeJS.Signals) => counts.get(signal) ?? 0
  const hear = (signal: NodeJS.Signals) => {
    counts.set(signal, countOf(signal) + 1)
    interrupt(signal)
  }
  for (const signal of signals) process.on(signal, hear)
  if (!process.channel) return
  const passedOn = async ({ signal, count }: PassedOn) => {
    await delay(BOTH_MS)
    // Of what has arrived, timers come first and signals last: one more round.
    await new Promise(setImmediate)
    if (signals.includes(signal) && countOf(signal) < count) hear(signal)
  }
  process.on('message', (message: PassedOn) => void passedOn(message))
  // Listening to it must not keep us running.
  process.channel.unref()
}
