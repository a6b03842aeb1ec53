// Three workers on one PostgreSQL, each with its own codex home, its own data folder and its own way to the database.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DrawbridgeClient } from '../../../src/api/index.ts'
import { makeCodexHome, makeWorkspace, startScriptedModel } from '../../../src/testing/index.ts'
import { TcpProxy } from '../../support/failing-network.ts'
import { freePort } from '../../support/free-port.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { script } from '../kill/crash-script.ts'
import { KillableService } from '../kill/killable-service.ts'

export const LEASE_MS = 3_000
/** What the workers of the last run said. */
const TOLD = 'node_modules/.cache/crash-fleet'
const NAMES = ['a', 'b', 'c'] as const

export interface FleetWorker {
  readonly name: string
  readonly service: KillableService
  readonly network: TcpProxy
  readonly dataDir: string
}

export async function openFleetStage() {
  mkdirSync(TOLD, { recursive: true })
  const postgres = await startPostgres({ isDurable: true })
  const model = await startScriptedModel(script)
  const workspace = await makeWorkspace()
  const removals: (() => Promise<void>)[] = [() => workspace.remove(), () => model.close()]

  async function openWorker(name: string): Promise<FleetWorker> {
    const [home, data] = [await makeCodexHome(model), await makeWorkspace()]
    removals.push(
      () => home.remove(),
      () => data.remove(),
    )
    const network = await TcpProxy.to(postgres.port)
    const env = { DATABASE_URL: network.through(postgres.url('postgres')), CODEX_HOME: home.path }
    const settings = { worker: { name, leaseMs: LEASE_MS } }
    const toldIn = path.resolve(TOLD, `${name}.txt`)
    writeFileSync(toldIn, '')
    const service = new KillableService(data.path, await freePort(), { env, settings, toldIn, actor: name })
    await service.start()
    return { name, service, network, dataDir: data.path }
  }

  const workers: FleetWorker[] = []
  for (const name of NAMES) workers.push(await openWorker(name))
  const close = async () => {
    for (const { service } of workers) await service.end()
    for (const { network } of workers) network.close()
    await postgres.close()
    for (const remove of removals) await remove()
  }
  return { postgres, model, cwd: workspace.path, workers, close }
}

export type FleetStage = Awaited<ReturnType<typeof openFleetStage>>

/** Any of the workers, another one each time. */
export function anyDoor(
  { workers }: Pick<FleetStage, 'workers'>,
  random: () => number,
): { client: DrawbridgeClient } {
  return {
    get client() {
      return workers[Math.floor(random() * workers.length)]!.service.client
    },
  }
}

/** A line between what the workers say, for whoever looks for the cause of a finding. */
export function note({ workers }: Pick<FleetStage, 'workers'>, line: string): void {
  for (const { service } of workers) appendFileSync(service.toldIn, `${new Date().toISOString()} ${line}\n`)
}
