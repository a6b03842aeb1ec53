import { expect, it } from 'vitest'
import { errorOf, openApi } from '../fixtures/open-api.ts'

const START = { prompt: 'hi', cwd: '/repo' }

it.each([
  ['/v1/tasks', { ...START, cwd: '/tmp/ws\0' }, 'body.cwd'],
  ['/v1/tasks', { ...START, codexHome: '/home\0' }, 'body.codexHome'],
  ['/v1/tasks', { ...START, codexPath: '/bin/codex\0' }, 'body.codexPath'],
  ['/v1/tasks', { ...START, prompt: [{ type: 'localImage', path: 'a\0.png' }] }, 'body.prompt.0.path'],
  ['/v1/tasks/task-1/turns', { input: [{ type: 'skill', name: 's', path: '\0' }] }, 'body.input.0.path'],
  ['/v1/rules/check', { command: 'ls', cwd: '/tmp\0' }, 'body.cwd'],
])('refuses a path with a NUL to %s: %j', async (path, json, at) => {
  const api = openApi()
  const refused = await errorOf(await api.ask(path, { method: 'POST', json }))
  expect(refused).toMatchObject({ status: 400, code: 'bad-request', details: { issues: [{ path: at }] } })
  expect(api.calls).toEqual([])
})

it.each([
  ['[]', 'must be a JSON object'],
  ['"text"', 'must be a JSON object'],
  [nested(4_000), 'is nested deeper than 100'],
  [nested(200_000), 'is nested deeper than 100'],
  [`{"description":"${'x'.repeat(300_000)}"}`, 'is larger than 262144 characters'],
])('refuses an output schema like %.20s', async (schema, message) => {
  const api = openApi()
  const headers = { 'content-type': 'application/json' }
  for (const [path, body, at] of [
    ['/v1/tasks', `{"prompt":"hi","cwd":"/repo","outputSchema":${schema}}`, 'body.outputSchema'],
    [
      '/v1/tasks/task-1/turns',
      `{"input":"hi","overrides":{"outputSchema":${schema}}}`,
      'body.overrides.outputSchema',
    ],
  ] as const) {
    const refused = await errorOf(await api.ask(path, { method: 'POST', headers, body }))
    expect(refused).toMatchObject({ status: 400, details: { issues: [{ path: at, message }] } })
  }
  expect(api.calls).toEqual([])
})

it('takes a schema that codex can use, and none', async () => {
  const api = openApi()
  for (const outputSchema of [{ type: 'object', properties: { a: { type: 'string' } } }, null])
    expect((await api.ask('/v1/tasks', { method: 'POST', json: { ...START, outputSchema } })).status).toBe(
      201,
    )
})

it('refuses an answer that is nested too deep to be written down', async () => {
  const api = openApi()
  const headers = { 'content-type': 'application/json' }
  for (const answer of [`{"result":${nested(200_000)}}`, `{"content":{"a":${nested(200_000)}}}`]) {
    const body = `{"answer":${answer}}`
    const response = await api.ask('/v1/approvals/approval-1', { method: 'POST', headers, body })
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'bad-request' })
  }
  expect(api.calls).toEqual([])
})

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}
