import { expect, it } from 'vitest'
import { TaskError } from '../../tasks/index.ts'
import { errorOf, openApi } from '../fixtures/open-api.ts'
import { serve } from '../fixtures/serve.ts'
import { DELIVERABLE } from '../fixtures/values.ts'

const CONTENT = '/v1/tasks/task-1/deliverables/1/content'

it('sends the bytes of a deliverable as a download that no browser runs', async () => {
  const api = openApi()
  const response = await api.ask(CONTENT)
  expect(await response.text()).toBe('hello')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '5',
    'content-disposition': `attachment; filename="report.txt"; filename*=UTF-8''report.txt`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    etag: `"${DELIVERABLE.sha256}"`,
    'repr-digest': 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:',
  })
})

it('writes any name so that it stays a name', async () => {
  const api = openApi()
  const name = 'a"b\r\nx: y;ü.html'
  api.instead('deliverableContent', async () => ({
    deliverable: { ...DELIVERABLE, name, bytes: 0 },
    bytes: (async function* () {})(),
  }))
  const { headers } = await api.ask(CONTENT)
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="a_b__x: y;_.html"; filename*=UTF-8''a%22b%0D%0Ax%3A%20y%3B%C3%BC.html`,
  )
})

it('says who answered first, and refuses an answer without words', async () => {
  const api = openApi()
  const answer = '/v1/tasks/task-1/deliverables/1/answer'
  const first = { ...DELIVERABLE, status: 'accepted', actor: 'bob' }
  api.instead('answerDeliverable', () => {
    throw new TaskError('deliverable-answered', 'accepted by bob', { details: { deliverable: first } })
  })
  const late = await api.ask(answer, { method: 'POST', json: { verdict: 'accepted' } })
  expect(await errorOf(late)).toMatchObject({
    status: 409,
    code: 'deliverable-answered',
    details: { deliverable: { actor: 'bob' } },
  })
  for (const json of [
    { verdict: 'sent-back' },
    { verdict: 'sent-back', words: ' ' },
    { verdict: 'maybe' },
    {},
  ]) {
    const refused = await api.ask(answer, { method: 'POST', json })
    expect(await errorOf(refused)).toMatchObject({ status: 400, code: 'bad-request' })
  }
  const none = await api.ask('/v1/tasks/task-1/deliverables/0/content')
  expect(await errorOf(none)).toMatchObject({ status: 400 })
})

it('reads nothing for HEAD, sends parts, and cuts the connection when the bytes end too early', async () => {
  const server = await serve()
  let opened = 0
  const offer = (...pieces: string[]) =>
    server.instead('deliverableContent', async () => ({
      deliverable: { ...DELIVERABLE, bytes: 10 },
      bytes: (async function* () {
        opened++
        for (const piece of pieces) yield Buffer.from(piece)
      })(),
    }))
  const get = (init: RequestInit = {}, range?: string) =>
    fetch(`${server.url}${CONTENT}`, {
      ...init,
      headers: { authorization: `Bearer ${server.token}`, ...(range && { range }) },
    })
  offer('01', '2345', '6789')
  const head = await get({ method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), opened]).toEqual([200, '10', 0])
  offer('01', '2345', '6789')
  const part = await get({}, 'bytes=1-6')
  expect([part.status, await part.text()]).toEqual([206, '123456'])
  offer('0123')
  // The server's adapter would end the response as if it were whole, and the client would wait for the rest.
  const short = get({ signal: AbortSignal.timeout(10_000) }).then((response) => response.text())
  await expect(short).rejects.toMatchObject({ name: 'TypeError' })
})
