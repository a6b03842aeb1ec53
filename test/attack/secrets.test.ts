// Secrets by kind and by place: each kind of secret, cut anywhere, put wherever text comes in; then every place where
// text comes out is searched for a piece of it.

import { createHash } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { NotificationRedactor } from '../../src/codex/notification-redactor.ts'
import { PLANTED_KINDS, pieceOf } from '../../src/codex/redaction/fixtures/planted-secrets.ts'
import { redact, redactJsonLine, redactValue } from '../../src/codex/redaction/index.ts'
import { WireNotification } from '../../src/codex/wire/index.ts'
import { openStderrLog, redactStderrLog, stderrTailOf } from '../../src/hosts/detached/stderr-log.ts'
import { message, shell, toolOutputs } from '../../src/testing/index.ts'
import { eventually } from '../faults/processes.ts'
import { serviceStage } from '../support/service-stage.ts'

/** No five in a row are hexadecimal: ids of tasks and threads must not be taken for a piece. */
const LETTERS = 'GHJKLMNPQRSTUVWXYZghjkmnpqrstuvwxyz'

/** A body that is the same for the same name every time. */
function bodyFor(name: string, length: number): string {
  const bytes: number[] = []
  for (let round = 0; bytes.length < length; round++)
    bytes.push(...createHash('sha256').update(`${name} ${round}`).digest())
  const characters = bytes
    .slice(0, length)
    .map((byte, at) => (at % 4 === 1 ? String(byte % 10) : LETTERS[byte % LETTERS.length]!))
  return characters.join('')
}

interface Planted {
  readonly kind: string
  readonly secret: string
  readonly text: string
}

const PLANTED: readonly Planted[] = PLANTED_KINDS.map(({ kind, length, write }) => {
  const secret = bodyFor(kind, length)
  return { kind, secret, text: write(secret) }
})

const counts = { cuts: 0, places: 0, leaks: 0 }
afterAll(() => {
  const { cuts, places, leaks } = counts
  console.log(
    `attack: secrets: ${PLANTED.length} kinds, ${cuts} cuts of streams and ${places} kinds in places tried, ${leaks} leaked`,
  )
})

/** The kinds of which a piece is in the text. */
function leaksIn(text: string, planted: readonly Planted[] = PLANTED): string[] {
  counts.places += planted.length
  const leaks = planted.filter(({ secret }) => pieceOf(secret, text) !== null).map(({ kind }) => kind)
  counts.leaks += leaks.length
  return leaks
}

const place = { threadId: 'thread', turnId: 'turn', itemId: 'item' }

function wire(method: string, params: object): WireNotification {
  return new WireNotification({ method, params }, JSON.stringify({ method, params }))
}

/** What a client that redacts is told of a text that comes in these pieces. */
function streamed(pieces: readonly string[]): string {
  const redactor = new NotificationRedactor()
  const sent = [
    wire('turn/started', { threadId: place.threadId, turn: { id: place.turnId } }),
    ...pieces.map((delta) => wire('item/agentMessage/delta', { ...place, delta })),
    wire('item/completed', { ...place, item: { id: place.itemId } }),
  ]
  const told = sent.flatMap((received) => [...redactor.heldBefore(received), redactor.redact(received)])
  return told.map(({ params }) => (params as { delta?: string }).delta ?? '').join('')
}

describe('each kind of secret', () => {
  it.each(PLANTED)('is hidden in a stream, wherever it is cut: $kind', ({ secret, text }) => {
    const whole = `before\n${text}\nafter`
    const expected = redact(whole)
    const cuts = Array.from({ length: whole.length - 1 }, (_, at) => [
      whole.slice(0, at + 1),
      whole.slice(at + 1),
    ])
    const ways = [...cuts, [...whole], whole.match(/.{1,7}/gs)!]
    for (const pieces of ways) {
      counts.cuts++
      const told = streamed(pieces)
      if (pieceOf(secret, told) !== null) counts.leaks++
      expect(told).toBe(expected)
    }
    expect(pieceOf(secret, expected)).toBeNull()
  })

  it.each(PLANTED)('is hidden in a text, a value and a JSON line: $kind', (planted) => {
    const { text } = planted
    const item = { type: 'commandExecution', id: 'i', command: text, aggregatedOutput: `a\n${text}\nb` }
    const frames = [
      redact(text),
      redact(`  ${JSON.stringify(text)},`),
      JSON.stringify(redactValue({ item })),
      redactJsonLine(JSON.stringify({ method: 'item/completed', params: { item } })),
    ]
    for (const frame of frames) expect(leaksIn(frame, [planted])).toEqual([])
  })

  it('is hidden in the log of an app-server, and in what is shown of it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'attack-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'codex.log')
    const descriptor = openStderrLog(file)
    for (const { text } of PLANTED) writeSync(descriptor, `${text}\n`)
    closeSync(descriptor)
    expect(leaksIn(stderrTailOf(file).join('\n'))).toEqual([])
    redactStderrLog(file, 0)
    expect(leaksIn(readFileSync(file, 'utf8'))).toEqual([])
  })
})

const WEBHOOK_SECRET = bodyFor('webhook secret', 24)
const SMTP_PASSWORD = bodyFor('smtp password', 20)
const HOOK_PATH = bodyFor('path of the webhook', 24)

/** A webhook that keeps what it is sent. */
async function keepingHook(): Promise<{ target: string; bodies: string[] }> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      bodies.push(body)
      response.end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    target: `webhook:http://127.0.0.1:${(server.address() as { port: number }).port}/${HOOK_PATH}`,
    bodies,
  }
}

/** Reads a stream of events until the signal. */
async function readStream(
  url: string,
  { token, signal, onFirst }: { token: string; signal: AbortSignal; onFirst: () => void },
): Promise<string> {
  let heard = ''
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal })
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      heard += decoder.decode(chunk, { stream: true })
      onFirst()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return heard
}

describe('on the service, with codex', () => {
  it('every kind, and every secret of its own, stays hidden in every place', {
    timeout: 90_000,
  }, async () => {
    const hook = await keepingHook()
    const isFollowed = Promise.withResolvers<void>()
    const stage = await serviceStage(async (call) => {
      if (toolOutputs(call).length === 0) return shell('cat secrets.txt')
      await isFollowed.promise
      return message(readFileSync(path.join(cwd, 'secrets.txt'), 'utf8').match(/.{1,11}/gs)!, { delayMs: 1 })
    })
    const { dataDir, cwd, cli, json } = stage
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(
      path.join(dataDir, 'settings.json'),
      JSON.stringify({
        notify: [hook.target],
        allowPrivate: true,
        webhookSecret: WEBHOOK_SECRET,
        smtp: { url: `smtp://me:${SMTP_PASSWORD}@127.0.0.1:9`, from: 'me@example.com' },
      }),
    )
    await json('task', 'list')
    const token = readFileSync(path.join(dataDir, 'token'), 'utf8').trim()
    /** Written without a word that would announce them. */
    function ownSecrets(): Planted[] {
      const values = {
        token,
        'webhook secret': WEBHOOK_SECRET,
        'SMTP password': SMTP_PASSWORD,
        'webhook path': HOOK_PATH,
      }
      return Object.entries(values).map(([kind, secret]) => ({ kind, secret, text: `see ${secret} there` }))
    }
    const planted = [...PLANTED, ...ownSecrets()]
    const all = planted.map(({ text }) => text).join('\n\n')
    writeFileSync(path.join(cwd, 'secrets.txt'), `${all}\n`)

    const { url } = stage.record()
    const ask = async (route: string, request: RequestInit = {}) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'drawbridge-actor': `cli:${PLANTED[1]!.text}`,
      }
      const response = await fetch(`${url}${route}`, { ...request, headers })
      if (request.method === undefined) expect([route, response.status]).toEqual([route, 200])
      return { status: response.status, text: await response.text() }
    }
    const post = (route: string, body: object) => ask(route, { method: 'POST', body: JSON.stringify(body) })

    const refused = await post('/v1/rules', { text: `allow command echo ${PLANTED[1]!.text}` })
    expect(refused.status).toBe(400)
    expect(leaksIn(refused.text, planted)).toEqual([])

    const started = await post('/v1/tasks', {
      prompt: all,
      cwd,
      title: PLANTED[1]!.text,
      labels: [PLANTED[0]!.text],
      policy: { sandbox: 'read-only', developerInstructions: all },
      outputSchema: { type: 'object', description: all },
    })
    expect(started.status).toBe(201)
    const { id } = JSON.parse(started.text) as { id: string }
    const stop = new AbortController()
    const stream = readStream(`${url}/v1/tasks/${id}/events/stream`, {
      token,
      signal: stop.signal,
      onFirst: isFollowed.resolve,
    })
    const task = await json('task', 'wait', id)
    expect(task).toMatchObject({ status: 'completed' })
    await eventually(() => hook.bodies.length > 0, 'the webhook was not called')

    const places: Record<string, string> = {
      'reply to a start': started.text,
      task: (await ask(`/v1/tasks/${id}`)).text,
      'task with its events': (await ask(`/v1/tasks/${id}/detail`)).text,
      'list of tasks': (await ask('/v1/tasks')).text,
      'stored events': (await ask(`/v1/tasks/${id}/events`)).text,
      audit: (await ask('/v1/audit')).text,
      notices: (await ask('/v1/notices')).text,
      status: (await ask('/v1/status')).text,
      'webhook body': hook.bodies.join('\n'),
    }
    for (const args of [
      ['task', 'show', id],
      ['task', 'logs', id],
      ['task', 'logs', id, '--json'],
      ['task', 'list'],
      ['notify', 'list'],
    ]) {
      const { stdout, stderr } = await cli(args)
      places[`drawbridge ${args.filter((word) => word !== id).join(' ')}`] = stdout + stderr
    }
    stop.abort()
    places['stream of events'] = await stream
    for (const [name, text] of logFiles(dataDir)) places[name] = text

    const leaks = Object.entries(places).map(([name, text]) => [name, leaksIn(text, planted)])
    expect(Object.fromEntries(leaks)).toEqual(
      Object.fromEntries(Object.keys(places).map((name) => [name, []])),
    )
    // What was searched is what was meant: the masked words are there.
    for (const name of ['stored events', 'stream of events', 'drawbridge task logs'])
      expect(places[name]).toContain('machine host login me password ***')
    expect(places['stream of events']).toContain('agentMessage/delta')
    expect(places['webhook body']).toContain('***')
  })
})

/** Of the service and of its app-servers. */
function logFiles(dataDir: string): [string, string][] {
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.log'))
    .map((file) => [
      file.replace(/[0-9a-f]{32}/, '<app-server>'),
      readFileSync(path.join(dataDir, file), 'utf8'),
    ])
}
