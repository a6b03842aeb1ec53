import { expect, it } from 'vitest'
import type { StoredTask } from '../../store/index.ts'
import { completeHook, hooksFor } from './hook-set.ts'

const hook = completeHook({ name: 'install', on: 'before', folders: ['/srv/shop'], run: async () => {} })

function names(row: { readonly cwd: string; readonly workspace: object | null }): string[] {
  const task = { host: null, ...row, workspace: row.workspace && JSON.stringify(row.workspace) }
  const place = { row: task as StoredTask, labels: [], isTrusted: () => false }
  return hooksFor([hook], 'before', place).map(({ name }) => name)
}

it('a hook for a folder is for tasks in it and in workspaces made from it, not for what a snapshot says of itself', () => {
  expect(names({ cwd: '/srv/shop/src', workspace: null })).toEqual(['install'])
  expect(names({ cwd: '/w/a', workspace: { kind: 'worktree', source: '/srv/shop' } })).toEqual(['install'])
  expect(names({ cwd: '/w/a', workspace: { kind: 'snapshot', source: '/srv/shop' } })).toEqual([])
  expect(names({ cwd: '/srv/shop', workspace: { kind: 'snapshot', source: null } })).toEqual(['install'])
})
