// The launcher, on a Node too old for us, runs us as a child. A terminal then signals both, `kill` only the launcher,
// which passes on how many of each signal it got.
import { setTimeout as delay } from 'node:timers/promises'

type Interrupt = (signal: NodeJS.Signals) => void

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
  process.on('message', async ({ signal, count }: { signal: NodeJS.Signals; count: number }) => {
    await delay(BOTH_MS)
    // Of what has arrived, timers come first and signals last: one more round.
    await new Promise(setImmediate)
    if (signals.includes(signal) && countOf(signal) < count) hear(signal)
  })
  // Listening to it must not keep us running.
  process.channel.unref()
}
