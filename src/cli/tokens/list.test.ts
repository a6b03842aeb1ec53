import { expect, it } from 'vitest'
import type { Token } from '../../api/index.ts'
import { tokenTable } from './list.ts'

const NOW = 1_000_000_000
const token: Token = {
  id: 'id',
  name: 'ci-bot',
  scope: {
    tasks: 'own',
    may: ['read', 'start'],
    ceiling: {
      ...{ sandbox: 'workspace-write', preset: 'workspace', network: true, folders: ['/a', '/b'] },
      ...{ hosts: ['build', 'lab:/srv'], accounts: ['work', 'pool:team'] },
    },
  },
  createdAt: 0,
  createdBy: 'api:cli:alice',
  usedAt: NOW - 120_000,
  expiresAt: null,
  revokedAt: null,
  revokedBy: null,
  state: 'valid',
}

it('shows what each may do, when it was used, and whether it counts', () => {
  const rows = tokenTable(
    [
      token,
      { ...token, name: 'old', state: 'expired', usedAt: null },
      { ...token, name: 'new', state: 'unreadable', scope: null },
    ],
    NOW,
  )
  expect(rows.map((cells) => cells.map(({ text }) => text))).toEqual([
    ['NAME', 'STATE', 'USED', 'MAY', 'AT MOST'],
    [
      ...['ci-bot', 'valid', '2m ago', 'read, start · its own tasks'],
      'workspace-write · workspace · network · /a, /b · on build in any folder · on lab:/srv · account work, pool:team',
    ],
    ['old', 'expired', 'never', 'read, start · its own tasks', expect.any(String)],
    ['new', 'of a later version', '2m ago', '–', '–'],
  ])
})
