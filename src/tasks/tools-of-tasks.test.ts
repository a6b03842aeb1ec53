import { expect, it } from 'vitest'
import type { StoredTask } from '../store/index.ts'
import { remoteHome } from './model/index.ts'
import { toolsOfTasks } from './tools-of-tasks.ts'

it('gives a codex on a host none, whatever the task was stored with', async () => {
  const given: string[] = []
  const give = async ({ id }: { id: string }) => {
    given.push(id)
    return {}
  }
  const toolsOf = toolsOfTasks({ give } as never, () => {})
  const row = { id: 'here', tools: '["deploy"]', codex_home: '/home/me/.codex' } as StoredTask
  expect(await toolsOf(row)).toEqual({})
  expect(await toolsOf({ ...row, id: 'there', codex_home: remoteHome('box') })).toBeNull()
  expect(given).toEqual(['here'])
})
