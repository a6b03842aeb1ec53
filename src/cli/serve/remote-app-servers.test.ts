import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type AppServers, remoteHome } from '../../tasks/index.ts'
import { RemoteAppServers } from './remote-app-servers.ts'

it('a host that is removed while a task looks it up is not used by that task', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'drawbridge-removed-host-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const paths = { realPath: async () => null, kindOf: async () => null }
  const first = Promise.withResolvers<{ destination: string; paths: typeof paths }>()
  const finds = [first.promise]
  const asked: string[] = []
  const servers = new RemoteAppServers({ list: () => [] } as unknown as AppServers, {
    ...{ dataDir, now: Date.now, settings: {}, names: async () => [] },
    find: async () => finds.shift() ?? null,
    host: async (name) => {
      asked.push(name)
      throw new Error('it is used')
    },
  })
  onTestFinished(() => servers.stop())
  const got = servers.get({ codexPath: null, codexHome: remoteHome('box'), execHost: null }, {})
  await servers.forget('box')
  first.resolve({ destination: 'me@one', paths })
  await expect(got).rejects.toMatchObject({
    code: 'host-unreachable',
    message: expect.stringContaining('there is no host box in remote mode'),
  })
  expect(asked).toEqual([])
})
