// Attacks on the HTTP doors of the real service: what a stranger, a web page or a careless program can send.
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { RawClient } from '../../src/api/fixtures/serve.ts'
import { readToken, serveApi } from '../../src/api/index.ts'
import { message } from '../../src/testing/index.ts'
import { openTasks } from '../support/open-tasks.ts'
import { runTask } from '../support/task-facts.ts'

const counts = { tried: 0, through: 0 }
afterAll(() => console.log(`attack: doors: ${counts.tried} tried, ${counts.through} got through`))

/** Counts an attack, and fails the test when it got through. */
function attack(what: string, gotThrough: boolean): void {
  counts.tried++
  if (gotThrough) counts.through++
  expect(gotThrough, what).toBe(false)
}

const SECRET = 'root-of-all-secrets'

async function openDoor() {
  const opened = await openTasks(() => message('fine'))
  const consoleDir = path.join(opened.dataDir, 'console')
  mkdirSync(consoleDir)
  writeFileSync(path.join(consoleDir, 'index.html'), '<p>console</p>')
  writeFileSync(path.join(opened.dataDir, 'neighbour.txt'), SECRET)
  symlinkSync(path.join(opened.dataDir, 'neighbour.txt'), path.join(consoleDir, 'linked.txt'))
  const errors: unknown[] = []
  const door = await serveApi({
    service: opened.tasks,
    dataDir: opened.dataDir,
    port: 0,
    consoleDir,
    limits: { burst: 100_000, requestsPerSecond: 100_000 },
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => door.close())
  const token = readToken(opened.dataDir)!
  const ask = (address: string, init: RequestInit = {}) =>
    fetch(`${door.url}${address}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    })
  return { ...opened, door, token, ask, errors }
}

const LONG = 'x'.repeat(300)
/** As JSON, so that half a character and a number too large can be written. */
const HOSTILE = [
  ...[LONG, `/${LONG}`, `/${'x/'.repeat(2_040)}`, 'x'.repeat(5_000), '\0', 'a\0b', '../../etc/passwd'],
  ...['\u202e', '\u001b]0;owned\u0007', '\r\nSet-Cookie: a=b', "'; drop table tasks; --", '%00', '', ' '],
]
  .map((text) => JSON.stringify(text))
  .concat('"\\ud800"', '"\\udc00x"', '-1', '1e308', '9007199254740993', 'null', 'true', '{}', '[[]]')

const ids = HOSTILE.map((json) => JSON.parse(json) as unknown)
  .map((value) => String(value).toWellFormed())
  .filter((text) => text !== '')
  .map(encodeURIComponent)

/** Fields of bodies, each tried with each hostile value. The program does not exist, so that nothing runs. */
const BODIES: readonly [method: string, address: string, base: object, fields: readonly string[]][] = [
  [
    'POST',
    '/v1/tasks',
    { prompt: 'hi', cwd: '/', codexPath: '/nowhere/codex' },
    [
      ...[
        'prompt',
        'cwd',
        'title',
        'codexPath',
        'codexHome',
        'policy',
        'preset',
        'rules',
        'labels',
        'notify',
      ],
      ...['keepOpen', 'timeoutMs', 'approvalTimeoutMs', 'outputSchema'],
    ],
  ],
  ['POST', '/v1/tasks/$task/turns', { input: 'hi' }, ['input', 'overrides']],
  ['POST', '/v1/tasks/$task/steer', { input: 'hi' }, ['input']],
  ['POST', '/v1/tasks/$task/fork', {}, ['prompt', 'lastTurnId', 'title']],
  ['POST', '/v1/tasks/$task/resume', {}, ['prompt']],
  ['POST', '/v1/tasks/$task/wait', { timeoutMs: 1 }, ['timeoutMs', 'through']],
  ['PATCH', '/v1/tasks/$task', {}, ['title', 'labels', 'archived', 'rules', 'preset', 'notify']],
  ['POST', '/v1/rules', { text: 'allow command ls' }, ['text', 'note']],
  ['POST', '/v1/rules/check', { command: 'ls' }, ['command', 'cwd', 'rules', 'preset']],
  ['POST', '/v1/approvals/none', { answer: 'once' }, ['answer', 'why', 'rule']],
]

const PATHS = [
  ...['/v1/tasks/$', '/v1/tasks/$/detail', '/v1/tasks/$/events', '/v1/tasks/$/events/stream'],
  ...['/v1/tasks/$/events/1', '/v1/tasks/real/events/$', '/v1/approvals/$', '/v1/notices/$/dry-run'],
  ...[
    '/v1/tasks?cursor=$',
    '/v1/tasks?limit=$',
    '/v1/tasks?status=$',
    '/v1/tasks?search=$',
    '/v1/audit?cursor=$',
  ],
  ...[
    '/v1/usage?from=$',
    '/v1/usage?by=$',
    '/v1/notices?status=$',
    '/v1/approvals?taskId=$',
    '/$',
    '/tasks/$',
  ],
]

describe('the doors', () => {
  it('never break, whatever is put into a field, an id or a query', async () => {
    const { ask, tasks, request, errors } = await openDoor()
    const filesBefore = readdirSync('.')
    const { id } = await runTask(tasks, request('real', { codexPath: '/nowhere/codex' }))
    const tryBody = async (method: string, address: string, body: string) => {
      const { status } = await ask(address.replace('$task', id), { method, body })
      attack(`${method} ${address} ${body.slice(0, 120)}: ${status}`, status === 500)
    }
    for (const [method, address, base, fields] of BODIES)
      for (const field of fields)
        await Promise.all(HOSTILE.map((value) => tryBody(method, address, withField(base, field, value))))
    const tryPath = async (address: string) => {
      const response = await ask(address)
      await response.body?.cancel()
      attack(`GET ${address.slice(0, 80)}: ${response.status}`, response.status === 500)
    }
    for (const address of PATHS) {
      const ofTask = address.replace('real', id)
      await Promise.all(ids.map((value) => tryPath(ofTask.replace('$', () => value))))
    }
    for (const header of ['drawbridge-actor', 'idempotency-key', 'last-event-id'])
      for (const value of ['x'.repeat(5_000), '%00', '%ff', '%E2%80%AE', '"', '-1']) {
        const response = await ask(`/v1/tasks/${id}/events/stream`, { headers: { [header]: value } })
        await response.body?.cancel()
        attack(`${header}: ${value.slice(0, 20)}: ${response.status}`, response.status === 500)
      }
    expect(errors).toEqual([])
    expect(readdirSync('.')).toEqual(filesBefore)
  })

  it('are closed to whoever has no token, and to guesses', async () => {
    const { door, token, dataDir } = await openDoor()
    const guesses = [
      ...[
        '',
        'Bearer',
        'Bearer x',
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token}x`,
        `Basic ${token}`,
        token,
      ],
      ...[
        `bearer  ${token.toUpperCase()}`,
        `Bearer ${token},${token}`,
        `Bearer ${encodeURIComponent(`${token}\0`)}`,
      ],
    ]
    for (const authorization of guesses)
      for (const address of ['/v1/tasks', '/v1/stream', '/v1/approvals', '/metrics', '/v1/login-links']) {
        const response = await fetch(`${door.url}${address}`, { headers: { authorization } })
        attack(`${address} with ${authorization.slice(0, 12)}`, response.status < 400)
      }
    for (let guess = 0; guess < 300; guess++) {
      const response = await fetch(`${door.url}/login?code=${guess}${'A'.repeat(40)}`, { redirect: 'manual' })
      attack('a guessed login code', response.headers.has('set-cookie'))
    }
    const link = (await door.makeLoginLink()).url
    const use = () => enterBy(link)
    const first = await use()
    expect(first).not.toBeNull()
    attack('a login link that was used', (await use()) !== null)
    for (const cookie of [
      `${first!}x`,
      first!.replace(/.$/, '.'),
      `drawbridge=${'A'.repeat(22)}.${'B'.repeat(43)}`,
    ]) {
      const response = await fetch(`${door.url}/v1/tasks`, { headers: { cookie } })
      attack('a forged cookie', response.status < 400)
    }
    expect(statSync(path.join(dataDir, 'token')).mode & 0o077).toBe(0)
  })

  it('are closed to other names and other origins', async () => {
    const { door, token } = await openDoor()
    const cookie = (await enterBy((await door.makeLoginLink()).url))!
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      'evil.example:80',
      '0x7f.1',
      '[::ffff:8.8.8.8]',
    ]) {
      const status = await statusFor(door.port, '/v1/tasks', { host, authorization: `Bearer ${token}` })
      attack(`Host: ${host}: ${status}`, status < 400)
    }
    const hostileHeaders: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${door.url}.evil.example` },
      { origin: door.url, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    const body = JSON.stringify({ prompt: 'hi', cwd: '/' })
    for (const headers of hostileHeaders) {
      const asked = { cookie, 'content-type': 'application/json', ...headers }
      const response = await fetch(`${door.url}/v1/tasks`, {
        method: 'POST',
        headers: asked,
        body,
      })
      attack(`POST with ${JSON.stringify(headers)}: ${response.status}`, response.status < 400)
      attack('an answer another origin may read', response.headers.has('access-control-allow-origin'))
    }
  })

  it('give no file but those of the console', async () => {
    const { door, token } = await openDoor()
    for (const climb of [
      '..',
      '%2e%2e',
      '%2E.',
      '..%2f..',
      '..%5c..',
      '%252e%252e',
      '..;',
      '....//',
      '.%00.',
    ])
      for (const file of ['neighbour.txt', 'token', 'etc/passwd', 'linked.txt'])
        for (const address of [
          `/${climb}/${file}`,
          `/assets/${climb}/${climb}/${file}`,
          `//${climb}//${file}`,
        ]) {
          const client = new RawClient(door.port)
          const text = `GET ${address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
          const answer = await client.send(text).closed
          attack(
            address,
            [SECRET, token, 'root:'].some((secret) => answer.includes(secret)),
          )
        }
    const linked = await (await fetch(`${door.url}/linked.txt`)).text()
    attack('a link in the folder of the console', linked.includes(SECRET))
  })

  it('let nobody write headers, and take no request twice', async () => {
    const { door, token } = await openDoor()
    const auth = `Authorization: Bearer ${token}`
    const smuggled = 'GET /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const sent = [
      `GET /%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      `GET /login?code=%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rSet-Cookie: b\r\n\r\n`,
      `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n${auth}\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n${auth}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx${smuggled}`,
      `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n${auth}\r\nTransfer-Encoding: xchunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    ]
    for (const text of sent) {
      const client = new RawClient(door.port).send(text)
      await client.status()
      client.socket.end()
      const answer = await client.closed
      attack(text.slice(0, 60), /^set-cookie: a=b/im.test(answer) || hasSecond(answer))
    }
  })

  it('serve others while one caller holds all the streams it may have', async () => {
    const { ask, tasks, request, door, token } = await openDoor()
    const { id } = await runTask(tasks, request('done', { codexPath: '/nowhere/codex' }))
    const gone = new AbortController()
    onTestFinished(() => gone.abort())
    const open = () => ask(`/v1/tasks/${id}/events/stream`, { signal: gone.signal })
    const opened = await Promise.all(Array.from({ length: 70 }, open))
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(64)
    const wait = { method: 'POST', body: '{"timeoutMs":1000}' }
    attack('its own wait is kept out', (await ask(`/v1/tasks/${id}/wait`, wait)).status !== 200)
    const other = { authorization: `Bearer ${token}`, 'drawbridge-actor': 'other' }
    const stream = await fetch(`${door.url}/v1/tasks/${id}/events/stream`, {
      headers: other,
      signal: gone.signal,
    })
    attack('another caller is kept out', stream.status !== 200)
    const waited = await fetch(`${door.url}/v1/tasks/${id}/wait`, { method: 'POST', headers: other })
    attack("another caller's wait is kept out", waited.status !== 200)
  })

  it('do not open with a token file that is a link', async () => {
    const { tasks, dataDir } = await openTasks(() => message('unused'))
    const elsewhere = path.join(dataDir, 'elsewhere')
    writeFileSync(elsewhere, `${'t'.repeat(43)}\n`, { mode: 0o644 })
    symlinkSync(elsewhere, path.join(dataDir, 'token'))
    const opening = serveApi({ service: tasks, dataDir, port: 0 })
    const problem = await opening.then(
      (door) => door.close().then(() => null),
      (error: Error) => error.message,
    )
    attack('a linked token', problem === null)
    expect(problem).toContain('is a symbolic link')
    attack('chmod of what it leads to', (statSync(elsewhere).mode & 0o777) !== 0o644)
  })

  it('tell others of a task without what hides or steers', async () => {
    const { tasks, request } = await openDoor()
    const title = 'pay \u202eevil\u2069 \u001b]0;owned\u0007\u200bnow\u061c\u0085'
    const { id } = await runTask(
      tasks,
      request('x', { title, codexPath: '/nowhere/codex', notify: ['local'] }),
    )
    const { items } = await tasks.notices({ taskId: id })
    const drafts = await Promise.all(items.map((notice) => tasks.dryRunNotice(notice.id)))
    const told = [...items, ...drafts].map((value) => JSON.parse(JSON.stringify(value)) as unknown)
    expect(items.length).toBeGreaterThan(0)
    for (const text of textsOf(told)) attack(`in ${JSON.stringify(text)}`, HIDDEN.test(text))
  })
})

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** What was hidden in a request has been taken for another. */
function hasSecond(answer: string): boolean {
  return answer
    .split('HTTP/1.1 ')
    .slice(2)
    .some((second) => second.startsWith('200'))
}

/** The value is JSON already. */
function withField(base: object, field: string, value: string): string {
  const { [field]: _, ...rest } = base as Record<string, unknown>
  const others = Object.entries(rest).map(([name, kept]) => `"${name}":${JSON.stringify(kept)}`)
  return `{${[...others, `"${field}":${value}`].join(',')}}`
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The cookie a browser gets for this link; null when it is not let in. */
async function enterBy(link: string): Promise<string | null> {
  const response = await fetch(link, { redirect: 'manual' })
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? null
}

/** With the Host that is given, which `fetch` does not let anybody choose. */
function statusFor(port: number, address: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path: address, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject).end()
  })
}
