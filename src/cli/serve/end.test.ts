import { describe, expect, it } from 'vitest'
import { Ends, seeToTheEnd } from './end.ts'

/** A service whose one turn ends when the test says so. */
function stage() {
  const turn = Promise.withResolvers<void>()
  const draining = Promise.withResolvers<void>()
  const closed: object[] = []
  const left: number[] = []
  const told: string[] = []
  const service = {
    running: async () => [{}] as never,
    drain: async ({ signal }: { signal: AbortSignal }) => {
      draining.resolve()
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await Promise.race([turn.promise, aborted])
    },
    close: async (how: object) => void closed.push(how),
  }
  const controller = new AbortController()
  const ends = new Ends(controller.signal)
  const code = seeToTheEnd(service, ends, {
    tell: (line) => told.push(line),
    leave: (exit) => left.push(exit),
  })
  return {
    ends,
    code,
    closed,
    left,
    told,
    draining: draining.promise,
    endTurn: turn.resolve,
    signal: () => controller.abort(),
  }
}

describe('the service', () => {
  it('leaves its app-servers alone when a signal ends it', async () => {
    const { signal, code, closed } = stage()
    signal()
    expect(await code).toBe(0)
    expect(closed).toEqual([{ endAppServers: false }])
  })

  it('ends them too when it was told to stop, once the turns have ended, however often it is told', async () => {
    const { ends, draining, endTurn, code, closed } = stage()
    ends.tell({ kind: 'drain' })
    await draining
    ends.tell({ kind: 'drain' })
    ends.tell({ kind: 'drain' })
    await Promise.resolve()
    expect(closed).toEqual([])
    endTurn()
    expect(await code).toBe(0)
    expect(closed).toEqual([{ endAppServers: true }])
  })

  it('does not wait for turns any more when it is then told to leave', async () => {
    const { ends, draining, code, closed } = stage()
    ends.tell({ kind: 'drain' })
    await draining
    ends.tell({ kind: 'leave' })
    expect(await code).toBe(0)
    expect(closed).toEqual([{ endAppServers: false }])
  })

  it('says why and exits with 1 when its store is gone', async () => {
    const { ends, code, told, left } = stage()
    ends.tell({ kind: 'broken', error: new Error('disk full') })
    expect(await code).toBe(1)
    expect(told).toEqual(['The database cannot be written any more, so the service ends: disk full'])
    expect(left).toEqual([1])
  })
})
