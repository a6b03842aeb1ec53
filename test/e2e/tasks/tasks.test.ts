import { describe, expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'

describe('a task', () => {
  it('runs a turn on codex and keeps its answer and its events', async () => {
    const { tasks, request } = await openTasks(() => message('All done.'))
    const started = await tasks.start(request('Say that it is done'), ALICE)
    expect(started).toMatchObject({ status: 'queued', title: 'Say that it is done' })
    const ended = await tasks.wait(started.id, { timeoutMs: 20_000 })
    expect(ended).toMatchObject({
      status: 'completed',
      result: { text: 'All done.' },
      turnCount: 1,
      turnId: null,
    })
    const events = await allEvents(tasks, started.id)
    const methods = events.map(({ method }) => method)
    expect(methods).toContain('turn/started')
    expect(methods).toContain('turn/completed')
    expect(methods.filter((method) => method === 'item/agentMessage/delta')).toEqual([])
    expect(events.map(({ seq }) => seq)).toEqual([...events.map(({ seq }) => seq)].sort((a, b) => a - b))
  })
})
