import { expect, it } from 'vitest'
import type { AskedTools } from '../model/index.ts'
import { checkHost, toolsOfNew } from './check-host.ts'

const away = {
  realPath: () => Promise.reject(new Error('away')),
  kindOf: () => Promise.reject(new Error('away')),
}
const box = { name: 'box', localFolder: '/empty', paths: away, open: () => Promise.reject(new Error('away')) }
const hosts = { hosts: { get: async (name: string) => (name === 'box' ? box : null) } }
const there = { prompt: 'x', cwd: '/srv', host: 'box' }

it('waits for a host that is away, and refuses one that is not known', async () => {
  await checkHost(there, hosts)
  await checkHost({ prompt: 'x', cwd: '/srv' }, hosts)
  const unknown = checkHost({ ...there, host: 'bx' }, hosts)
  await expect(unknown).rejects.toMatchObject({ code: 'bad-request' })
})

it('leaves out the tools that labels bring when codex runs on the host, and refuses those that are named', async () => {
  const remote = { hosts: { ...hosts.hosts, modeOf: async () => 'remote' as const } }
  const labelled = { ...there, labels: ['deploy'] }
  const homeThere = await checkHost(labelled, remote)
  const toolsFor = ({ labels }: AskedTools) => labels
  expect(toolsOfNew(labelled, { isHere: true, homeThere, toolsFor })).toEqual([])
  expect(toolsOfNew(labelled, { isHere: true, homeThere: null, toolsFor })).toEqual(['deploy'])
  await expect(checkHost({ ...there, tools: ['deploy'] }, remote)).rejects.toMatchObject({
    code: 'bad-request',
  })
})
