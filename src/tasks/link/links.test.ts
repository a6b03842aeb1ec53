import { expect, it } from 'vitest'
import type { AppServers, RunningAppServer } from '../model/index.ts'
import { Links } from './links.ts'

const KEY = { codexPath: null, codexHome: null, execHost: null }

/** An app-server that lives and lets nobody in. */
function openStage(outlivesUs: boolean) {
  const seen = { opens: 0, isAlive: true }
  const appServer = {
    id: 'one',
    outlivesUs,
    isAlive: () => seen.isAlive,
    ended: new Promise(() => {}),
    host: {
      name: 'test',
      open: () => {
        seen.opens++
        return Promise.reject(new Error('nobody is let in'))
      },
    },
  } as unknown as RunningAppServer
  const links = new Links({
    appServers: { get: async () => appServer } as unknown as AppServers,
    listener: { notification: () => {}, incident: () => {}, answered: () => {}, connected: () => {} },
    retry: { baseMs: 1, maxMs: 1, random: () => 0 },
  })
  return { links, seen }
}

/** Between two looks there would be many attempts. */
async function hasStopped(seen: { readonly opens: number }): Promise<void> {
  let before = -1
  await expect
    .poll(() => {
      const isSame = seen.opens === before
      before = seen.opens
      return isSame
    })
    .toBe(true)
}

it('tells whoever waits that there is no connection, and goes on trying for as long as the app-server lives', async () => {
  const { links, seen } = openStage(true)
  await expect((await links.get(KEY)).codex()).rejects.toThrow('nobody is let in')
  expect(seen.opens).toBe(21)
  await expect.poll(() => seen.opens).toBeGreaterThan(2 * 21 + 1)
  seen.isAlive = false
  await hasStopped(seen)
})

it('stops trying when the service does', async () => {
  const { links, seen } = openStage(true)
  await expect((await links.get(KEY)).codex()).rejects.toThrow('nobody is let in')
  await links.close()
  await hasStopped(seen)
})

it('tries once where codex can only be reached once', async () => {
  const { links, seen } = openStage(false)
  await expect((await links.get(KEY)).codex()).rejects.toThrow('nobody is let in')
  await hasStopped(seen)
  expect(seen.opens).toBe(1)
})
