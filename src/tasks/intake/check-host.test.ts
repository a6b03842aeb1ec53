import { expect, it } from 'vitest'
import { checkHost } from './check-host.ts'

const away = {
  realPath: () => Promise.reject(new Error('away')),
  kindOf: () => Promise.reject(new Error('away')),
}
const box = { name: 'box', localFolder: '/empty', paths: away, open: () => Promise.reject(new Error('away')) }
const hosts = { get: async (name: string) => (name === 'box' ? box : null) }
const there = { prompt: 'x', cwd: '/srv', host: 'box' }

it('waits for a host that is away, and refuses one that is not known', async () => {
  await checkHost(there, { hosts, isShared: false })
  await checkHost({ prompt: 'x', cwd: '/srv' }, { hosts, isShared: true })
  const unknown = checkHost({ ...there, host: 'bx' }, { hosts, isShared: false })
  await expect(unknown).rejects.toMatchObject({ code: 'bad-request' })
})

it('refuses hosts on a store that several services share', async () => {
  await expect(checkHost(there, { hosts, isShared: true })).rejects.toMatchObject({ code: 'not-supported' })
})
