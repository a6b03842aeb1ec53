// Both official clients, on both transports, drive a task from its start over a question to its answer.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../src/api/index.ts'
import { lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { CLIENTS, mcpClient, namedToken, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Wants to make the file that the prompt names, then says what came of it. */
const maker = (request: Parameters<typeof lastUserText>[0]) =>
  toolOutputs(request).length === 0
    ? shell(`touch ${lastUserText(request)}`, { escalate: 'it is wanted' })
    : message('The file is there.')

describe.each(CLIENTS)('the client %s', (name) => {
  it('starts a task, hears its question, answers it and gets the result', async () => {
    const stage = await serviceStage(maker)
    const token = await namedToken(stage, {
      name: 'helper',
      may: ['read', 'start', 'answer-own'],
      ceiling: { sandbox: 'workspace-write' },
    })
    const { call } = await mcpClient(name, stage, { token })
    const started = await call('task_start', { prompt: 'made', cwd: stage.cwd, sandbox: 'workspace-write' })
    expect(started).toMatchObject({ isError: false, json: { taskId: expect.any(String), cursor: 0 } })
    const { taskId } = started.json
    const asked = await waitUntil(call, taskId, ({ json }) => json.status === 'waiting')
    expect(asked.text).toContain('touch made')
    expect(asked.text).toMatch(/^- once: /m)
    const [questionId] = asked.json.questions as string[]
    expect((await call('task_questions', {})).text).toContain(questionId)
    const answered = await call('task_answer', { questionId, decision: 'once', why: 'sure' })
    expect(answered.json).toMatchObject({ questionId, answered: 'once' })
    const { cursor } = asked.json
    const done = await waitUntil(call, taskId, ({ json }) => json.status === 'completed', { cursor })
    expect(done.text).toMatch(/^answer:\nThe file is there\.$/m)
    expect((await call('task_result', { taskId })).text).toContain('The file is there.')
    expect(existsSync(path.join(stage.cwd, 'made'))).toBe(true)
    const [audited] = await stage.json<AuditEntry[]>('audit')
    expect(audited).toMatchObject({ actor: 'token:helper', answer: 'once', why: 'sure' })
  })
})
