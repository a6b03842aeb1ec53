import { describe, expect, it } from 'vitest'
import * as contract from '../contract.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'
import { TASK, TERMINAL } from '../fixtures/values.ts'

const post = (json?: object) => ({ method: 'POST', ...(json && { json }) })

describe('terminals', () => {
  it('are told to the token where the thread is, kept, and opened on new tasks', async () => {
    const api = openApi()
    const told = await (await api.ask('/v1/tasks/task-1/terminal', post())).json()
    expect(contract.Terminal.parse(told)).toEqual(TERMINAL)
    expect((await api.ask('/v1/tasks/task-1/terminal/keep', post())).status).toBe(204)
    const request = { cwd: '/repo', policy: { sandbox: 'workspace-write' }, title: 'by hand' }
    const opened = await api.ask('/v1/terminals', post(request))
    expect([opened.status, await opened.json()]).toMatchObject([201, { id: TASK.id }])
    expect(api.calls.map(([name, given]) => [name, given])).toEqual([
      ['attach', 'task-1'],
      ['keep', 'task-1'],
      ['open', request],
    ])
  })

  it('of tasks that are not there, and with what no task has, are refused', async () => {
    const api = openApi()
    const missing = await errorOf(await api.ask('/v1/tasks/other/terminal', post()))
    expect(missing).toMatchObject({ status: 404, code: 'task-not-found' })
    for (const request of [{}, { cwd: 'here' }, { cwd: '/repo', prompt: 'go' }])
      expect(await errorOf(await api.ask('/v1/terminals', post(request)))).toMatchObject({ status: 400 })
    expect(api.calls).toEqual([])
  })

  it('are unknown to a service that does not offer them', async () => {
    const { terminals: _, ...without } = openApi().service
    const api = openApi({ service: without })
    const refused = await errorOf(await api.ask('/v1/tasks/task-1/terminal', post()))
    expect(refused).toMatchObject({ status: 501, code: 'not-supported' })
  })
})
