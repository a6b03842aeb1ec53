import { describe, expect, it } from 'vitest'
import { errorOf, openApi } from '../fixtures/open-api.ts'

const START = { prompt: 'go', cwd: '/repo' }

async function refusal(path: string, options: { json?: unknown; headers?: Record<string, string> } = {}) {
  const method = options.json === undefined ? 'GET' : 'POST'
  const { status, message, details } = await errorOf(await openApi().ask(path, { method, ...options }))
  expect(status).toBe(400)
  return { message, issues: details!.issues }
}

describe('what is wrong with a request is told in words', () => {
  it.each([
    [{ ...START, title: '' }, 'title must not be empty'],
    [{ ...START, title: 'x'.repeat(501) }, 'title is too long: at most 500 characters'],
    [{ ...START, prompt: '' }, 'prompt must not be empty'],
    [{ ...START, prompt: 1 }, 'prompt must be text, or a list'],
    [{ cwd: '/repo' }, 'prompt is missing'],
    [{ prompt: 'go' }, 'cwd is missing'],
    [{ ...START, cwd: 1 }, 'cwd must be text'],
    [{ ...START, timeoutMs: 1 }, 'timeoutMs must be at least 1,000'],
    [{ ...START, timeoutMs: 1_000.5 }, 'timeoutMs must be a whole number'],
    [{ ...START, labels: Array(51).fill('x') }, 'labels has too many: at most 50'],
    [{ ...START, preset: 'some' }, 'preset must be one of ask-all, read-only, workspace, trusted'],
    [{ ...START, typo: 1 }, 'unknown field typo'],
    [{ ...START, policy: { typo: 1 } }, 'unknown field policy.typo'],
    [
      { ...START, prompt: [{ type: 'sound' }] },
      'prompt.0.type must be one of text, image, localImage, skill, mention',
    ],
    [{ ...START, prompt: [{ type: 'image', url: 'https://x' }] }, 'prompt.0.url must begin with data:image/'],
    [[], 'the body must be an object'],
  ])('%j', async (json, says) => {
    expect((await refusal('/v1/tasks', { json })).message).toBe(says)
  })

  it('of an answer', async () => {
    const told = async (answer: unknown) =>
      (await refusal('/v1/approvals/approval-1', { json: { answer } })).message
    expect(await told({})).toBe('answer.answers is missing')
    expect(await told('perhaps')).toBe(
      'answer must be one of once, session, always, deny, cancel, or an object',
    )
  })

  it('of a header and a query, by their names', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(201) }
    expect((await refusal('/v1/tasks', { json: START, headers })).message).toBe(
      'idempotency-key is too long: at most 200 characters',
    )
    expect((await refusal('/v1/tasks?limit=x')).message).toBe('limit must be a number')
  })

  it('and to programs as before', async () => {
    expect((await refusal('/v1/tasks', { json: { ...START, title: '' } })).issues).toEqual([
      { path: 'body.title', message: 'Too small: expected string to have >=1 characters' },
    ])
  })
})

describe('a prompt', () => {
  const MAX = 1_048_576

  it('is as long as codex takes it, counted as codex counts', async () => {
    const api = openApi()
    const items = [
      { type: 'text', text: 'y'.repeat(MAX / 2) },
      { type: 'text', text: '👋'.repeat(MAX / 2) },
    ]
    for (const prompt of ['x'.repeat(MAX), '👋'.repeat(MAX), items])
      expect((await api.ask('/v1/tasks', { method: 'POST', json: { ...START, prompt } })).status).toBe(201)
  })

  it('that is longer is refused', async () => {
    const items = [
      { type: 'text', text: 'y'.repeat(MAX) },
      { type: 'text', text: 'y' },
    ]
    for (const prompt of ['x'.repeat(MAX + 1), items])
      expect((await refusal('/v1/tasks', { json: { ...START, prompt } })).message).toBe(
        'prompt is too long: at most 1,048,576 characters',
      )
  })
})
