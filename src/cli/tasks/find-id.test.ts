import { describe, expect, it } from 'vitest'
import type { DrawbridgeClient } from '../../api/index.ts'
import { UsageError } from '../process/usage-error.ts'
import { findApprovalId, findTaskId } from './find-id.ts'

const OPEN = '019c0000-0000-7000-8000-0000aaaa1111'
const SETTLED = '019c0000-0000-7000-8000-0000bbbb2222'
const OLD = '018b0000-0000-7000-8000-0000cccc1111'

function clientOf({ open = [OPEN], all = [SETTLED, OLD] }: { open?: string[]; all?: string[] } = {}) {
  const named = (id: string) => ({ id, title: `Task ${id.slice(-4)}`, question: { title: 'run ls' } })
  const page = (ids: readonly string[]) => Promise.resolve({ items: ids.map(named), cursor: null })
  return {
    approvals: ({ status }: { status?: string }) => page(status === 'pending' ? open : [...open, ...all]),
    tasks: { list: () => page([...open, ...all]) },
  } as unknown as DrawbridgeClient
}

describe('the id of a question', () => {
  it.each(['', '0', '019', '111'])('is never guessed from too little: %j', async (given) => {
    await expect(findApprovalId(clientOf(), given)).rejects.toThrow(UsageError)
    await expect(findTaskId(clientOf(), given)).rejects.toThrow('at least 4 characters')
  })

  it('is taken whole as it is', async () => {
    expect(await findApprovalId(clientOf({ open: [], all: [] }), SETTLED)).toBe(SETTLED)
  })

  it('is found by its end, open ones before settled ones', async () => {
    expect(await findApprovalId(clientOf(), '1111')).toBe(OPEN)
    expect(await findApprovalId(clientOf(), 'bbbb2222')).toBe(SETTLED)
    await expect(findApprovalId(clientOf({ open: [OPEN, OLD] }), '1111')).rejects.toThrow('not the only one')
  })

  it('is found by its beginning only when no other has it, open or not', async () => {
    await expect(findApprovalId(clientOf(), '019c0000')).rejects.toThrow('not the only one')
    expect(await findApprovalId(clientOf({ all: [OLD] }), '019c0000')).toBe(OPEN)
  })
})

describe('the id of a task', () => {
  it('that nothing has is told as the API tells it', async () => {
    await expect(findTaskId(clientOf(), 'zzzz')).rejects.toMatchObject({
      message: 'there is no task zzzz',
      code: 'task-not-found',
    })
  })

  it('that several have is told with their titles, and how many more there are', async () => {
    await expect(findTaskId(clientOf(), '019c')).rejects.toThrow(
      /^019c is not the only one: aaaa1111 "Task 1111", bbbb2222 "Task 2222"$/,
    )
    const all = Array.from({ length: 7 }, (_, index) => `${OLD.slice(0, -1)}${index}`)
    await expect(findTaskId(clientOf({ open: [], all }), '018b')).rejects.toThrow(
      /^018b is not the only one: (cccc111\d "Task 111\d", ){5}… and 2 more$/,
    )
  })
})
