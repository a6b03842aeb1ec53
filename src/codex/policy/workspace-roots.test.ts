import { expect, it } from 'vitest'
import { type Workplace, workplaceAfter, workspaceRoots } from './workspace-roots.ts'

const writing = (...writableRoots: string[]) =>
  ({
    type: 'workspaceWrite',
    writableRoots,
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  }) as const
const place: Workplace = { cwd: '/repo', runtimeWorkspaceRoots: ['/repo', '/lib'], sandbox: writing('/out') }

it('the workspace is the folder, codex’s own roots, and what may be written to, each once', () => {
  expect(workspaceRoots(place)).toEqual(['/repo', '/lib', '/out'])
  expect(workspaceRoots({ ...place, sandbox: { type: 'readOnly', networkAccess: false } })).toEqual([
    '/repo',
    '/lib',
  ])
  expect(workspaceRoots({ cwd: '/repo' })).toEqual(['/repo'])
  expect(workspaceRoots({})).toEqual([])
})

it('a turn moves it', () => {
  expect(workspaceRoots(workplaceAfter(place, {}))).toEqual(['/repo', '/lib', '/out'])
  expect(workspaceRoots(workplaceAfter(place, { cwd: '/new' }))).toEqual(['/new', '/out'])
  const moved = { cwd: '/new', runtimeWorkspaceRoots: ['/new', '/more'], sandboxPolicy: writing() }
  expect(workspaceRoots(workplaceAfter(place, moved))).toEqual(['/new', '/more'])
})
