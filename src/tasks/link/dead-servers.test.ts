import { expect, it } from 'vitest'
import type { Codex } from '../../codex/index.ts'
import { DeadServers } from './dead-servers.ts'

const closed = { message: 'tool call failed for `own/x`\n\nCaused by:\n    Transport closed' }

it('knows a dead server by its failed call, and nothing else', () => {
  const item = { type: 'mcpToolCall', status: 'failed', server: 'own', error: closed }
  expect(DeadServers.nameIn(item)).toBe('own')
  expect(DeadServers.nameIn(undefined)).toBeNull()
  expect(DeadServers.nameIn({ ...item, status: 'completed' })).toBeNull()
  expect(DeadServers.nameIn({ ...item, type: 'dynamicToolCall' })).toBeNull()
  expect(DeadServers.nameIn({ ...item, error: null })).toBeNull()
  expect(DeadServers.nameIn({ ...item, error: { message: 'timed out' } })).toBeNull()
})

it('asks for a reload three times in ten minutes, and again later', async () => {
  let now = 0
  let reloads = 0
  const told: string[] = []
  const servers = new DeadServers({ now: () => now, tell: (_, { type }) => told.push(type) })
  const codex = { request: async () => ++reloads } as unknown as Codex
  for (let death = 0; death < 4; death++) await servers.found('task', 'own', codex)
  expect(reloads).toBe(3)
  expect(told.at(-1)).toBe('mcp-server-dead')
  await servers.found('other', 'own', codex)
  expect(reloads).toBe(4)
  now += 10 * 60_000 + 1
  await servers.found('task', 'own', codex)
  expect(reloads).toBe(5)
})

it('tells when codex does not reload', async () => {
  const told: string[] = []
  const servers = new DeadServers({ now: () => 0, tell: (_, { message }) => told.push(message) })
  const codex = { request: () => Promise.reject(new Error('no')) } as unknown as Codex
  await servers.found('task', 'own', codex)
  expect(told.at(-1)).toBe('the MCP server own could not be started again: no')
})

it('asks once for all calls that failed with one death, and for the next death again', async () => {
  const reloads: PromiseWithResolvers<void>[] = []
  const told: string[] = []
  const servers = new DeadServers({ now: () => 0, tell: (_, { type }) => told.push(type) })
  const request = () => {
    reloads.push(Promise.withResolvers())
    return reloads.at(-1)!.promise
  }
  const codex = { request } as unknown as Codex
  const calls = Array.from({ length: 4 }, () => servers.found('task', 'own', codex))
  expect(reloads).toHaveLength(1)
  reloads[0]!.resolve()
  await Promise.all(calls)
  expect(told).toEqual(['mcp-server-died', 'mcp-server-reloaded'])
  const next = servers.found('task', 'own', codex)
  expect(reloads).toHaveLength(2)
  reloads[1]!.resolve()
  await next
})
