import { expect, it } from 'vitest'
import type { Grant } from './model/index.ts'
import { actByName, commandOf, type TaskActs } from './task-acts.ts'

const GRANT = { tokenId: 'ci-id', name: 'ci' } as Grant

it.each(['send', 'fork', 'resume'])(
  'a worker that knows nothing of tokens refuses to %s for one',
  async (name) => {
    const command = { name, taskId: 't', given: [{}] }
    const bound = commandOf(command, { actor: 'token:ci', grant: GRANT })
    expect(bound.given).toEqual([name, [{}], GRANT])
    const done: string[] = []
    const earlier = { [name]: async () => done.push(name) } as unknown as TaskActs
    await expect(actByName(earlier, bound)).rejects.toMatchObject({ code: 'not-supported' })
    expect(done).toEqual([])
    await actByName(earlier, commandOf(command, { actor: 'api' }))
    expect(done).toEqual([name])
  },
)
