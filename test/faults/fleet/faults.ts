// What befalls a fleet. Each begins at once, and is over when its promise resolves: then everybody is back.
import { setTimeout as delay } from 'node:timers/promises'
import { type FleetStage, type FleetWorker, LEASE_MS } from './fleet-stage.ts'

export const FAULTS = ['kill', 'postgres', 'cut', 'freeze'] as const
export type Fault = (typeof FAULTS)[number]

/** From no time to longer than the lease. */
const AWAY_MS = 2 * LEASE_MS

export function befall(fault: Fault, stage: FleetStage, random: () => number): Promise<void> {
  const worker = stage.workers[Math.floor(random() * stage.workers.length)]!
  const awayMs = random() * AWAY_MS
  switch (fault) {
    case 'kill':
      return kill(worker, awayMs)
    case 'postgres':
      return stage.postgres.restart('immediate')
    case 'cut':
      return random() < 0.5 ? cut(worker, awayMs) : silence(worker, { awayMs, isReset: random() < 0.5 })
    case 'freeze':
      return freeze(worker, LEASE_MS + 500 + awayMs / 2)
  }
}

async function kill({ service }: FleetWorker, awayMs: number): Promise<void> {
  await service.kill()
  await delay(awayMs)
  await service.start()
}

/** Every connection is reset, and none is made. */
async function cut({ network }: FleetWorker, awayMs: number): Promise<void> {
  network.refuse(true)
  network.cut()
  await delay(awayMs)
  network.refuse(false)
}

/** Nothing passes, and nobody is told. `isReset`: nor does what waited, afterwards. */
async function silence(
  { network }: FleetWorker,
  { awayMs, isReset }: { awayMs: number; isReset: boolean },
): Promise<void> {
  network.freeze()
  await delay(awayMs)
  if (isReset) network.cut()
  network.thaw()
}

async function freeze({ service }: FleetWorker, ms: number): Promise<void> {
  process.kill(service.pid, 'SIGSTOP')
  await delay(ms)
  process.kill(service.pid, 'SIGCONT')
}
