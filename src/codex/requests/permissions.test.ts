import { describe, expect, it } from 'vitest'
import type { ServerParams } from '../protocol/index.ts'
import { facts, PLACE } from './fixtures/facts.ts'
import { permissions } from './permissions.ts'
import type { Answer } from './question.ts'

const wanted = { network: { enabled: true }, fileSystem: { read: ['/r'], write: ['/w'] } }
const params = {
  ...PLACE,
  cwd: '/there',
  reason: 'why',
  permissions: wanted,
} as unknown as ServerParams<'item/permissions/requestApproval'>
const reply = (answer: Answer, asked = params) => permissions.reply!(answer as never, asked, facts())

describe('permissions', () => {
  it('are shown whole', () => {
    expect(permissions.ask!(params, facts())).toMatchObject({
      kind: 'permissions',
      title: 'be allowed the network; writing to /w; reading /r',
      permissions: wanted,
      cwd: '/there',
      reason: 'why',
      choices: [
        { word: 'once', lasts: 'turn' },
        { word: 'session', lasts: 'thread' },
        { word: 'deny', lasts: 'now' },
      ],
    })
    const vague = { ...params, cwd: '' as never, permissions: { network: null, fileSystem: null } }
    expect(permissions.ask!(vague, facts())).toMatchObject({
      title: 'be allowed more than the sandbox allows',
      cwd: '/repo',
    })
  })

  it('are granted whole, in part, or not at all', () => {
    expect(reply('once')).toEqual({ permissions: wanted, scope: 'turn' })
    expect(reply('session')).toEqual({ permissions: wanted, scope: 'session' })
    expect(reply('deny')).toEqual({ permissions: {}, scope: 'turn' })
    const part = { permissions: { network: { enabled: true } }, scope: 'session' } as const
    expect(reply(part)).toEqual(part)
    const network = { ...params, permissions: { network: { enabled: true }, fileSystem: null } }
    expect(reply('once', network)).toEqual({ permissions: { network: { enabled: true } }, scope: 'turn' })
    expect(permissions.refuse(params, facts())).toEqual({ permissions: {}, scope: 'turn' })
  })

  it('cannot be answered with what is not offered', () => {
    const bad = expect.objectContaining({ code: 'bad-answer' })
    expect(() => reply('always')).toThrow(bad)
    expect(() => reply('cancel')).toThrow(bad)
    expect(() => reply({ content: {} })).toThrow(bad)
    expect(() => reply({ permissions: {}, scope: 'ever' as never })).toThrow(bad)
  })

  it('of which none is granted are not allowed: that is a deny', () => {
    const entries = [{ access: 'deny', path: { type: 'path', path: '/secret' } }]
    const nothing = [
      {},
      { network: { enabled: false } },
      { fileSystem: { read: [], write: null } },
      { fileSystem: { read: null, write: null, entries } },
    ]
    for (const permissions of nothing)
      expect(() => reply({ permissions, scope: 'turn' } as unknown as Answer)).toThrow(/answer "deny"/)
  })
})
