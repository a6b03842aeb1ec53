// A worker as a process of its own, `drawbridge serve`, that can be killed and stopped.
import { onTestFinished } from 'vitest'
import { appServerPool } from '../../src/hosts/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { KillableService } from '../faults/kill/killable-service.ts'
import { freePort } from './free-port.ts'

/** Gone, with its app-servers, when the test has finished. */
export async function serveWorker(
  name: string,
  { url, leaseMs }: { url: string; leaseMs: number },
): Promise<KillableService> {
  const data = await makeWorkspace()
  const service = new KillableService(data.path, await freePort(), {
    settings: { worker: { name, leaseMs } },
    env: { DATABASE_URL: url },
    actor: name,
  })
  onTestFinished(async () => {
    await service.kill()
    const heir = appServerPool({ dataDir: data.path })
    await heir.adopt()
    await heir.endAll()
    await data.remove()
  })
  await service.start()
  return service
}
