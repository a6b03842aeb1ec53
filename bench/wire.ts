// 200,000 notifications through `Connection` to a consumer, against the floor: splitting and JSON.parse of the same
// bytes. Beside it two peers: readline + JSON.parse, and vscode-jsonrpc.
// Run: npm run bench:wire
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  createMessageConnection,
  type DataCallback,
  type Disposable,
} from 'vscode-jsonrpc/node'
import { CONNECTION } from '../src/codex/defaults.ts'
import {
  type Channel,
  type ChannelReader,
  Connection,
  DEFAULT_MAX_LINE_BYTES,
  LineSplitter,
} from '../src/codex/wire/index.ts'
import { median, printTable } from './report.ts'

const NOTIFICATIONS = 200_000
const EVERY_REPLY = 100
const CHUNK_BYTES = 64 * 1024
const ROUNDS = 15

/** Shapes recorded from codex 0.166, in the proportions of a long turn: nearly all deltas, now and then an item. */
function notification(index: number): object {
  const threadId = '01a1e13a-934c-76f1-99e1-3c00b666ea26'
  const turnId = '01a1e13a-9363-7090-a621-da5544874d79'
  const emittedAtMs = 1794771805672 + index
  if (index % 50 === 49) {
    const item = {
      type: 'commandExecution',
      id: `call_${index}`,
      command: "/bin/bash -lc 'npm test'",
      cwd: '/srv/app',
    }
    const output = { aggregatedOutput: 'ok 1 - a test passed\n'.repeat(20), exitCode: 0, status: 'completed' }
    return {
      method: 'item/completed',
      params: { item: { ...item, ...output }, threadId, turnId },
      emittedAtMs,
    }
  }
  const params = {
    threadId,
    turnId,
    itemId: `msg_${index >> 6}`,
    delta: index % 7 ? ' word' : ' naïve — “…”',
  }
  return { method: 'item/agentMessage/delta', params, emittedAtMs }
}

const messages: object[] = []
for (let index = 0; index < NOTIFICATIONS; index++) {
  messages.push(notification(index))
  if (index % EVERY_REPLY === EVERY_REPLY - 1)
    messages.push({ id: (index + 1) / EVERY_REPLY, result: { ok: true } })
}
const replies = NOTIFICATIONS / EVERY_REPLY
const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, index) =>
  bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
)

function floor(): number {
  let seen = 0
  let rest: Buffer = Buffer.alloc(0)
  for (const chunk of chunks) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      if (JSON.parse(data.toString('utf8', start, end)).method !== undefined) seen++
      start = end + 1
    }
    rest = data.subarray(start)
  }
  return seen
}

async function drawbridge(): Promise<number> {
  let seen = 0
  const attached = Promise.withResolvers<ChannelReader>()
  const channel: Channel = { read: attached.resolve, send: () => {}, close: () => {} }
  const handlers = {
    notification: ({ raw }: { raw: string }) => {
      if (raw.length > 0) seen++
    },
    request: () => Promise.resolve(null),
    incident: (incident: unknown) => {
      throw new Error(JSON.stringify(incident))
    },
  }
  const connection = new Connection(channel, handlers, CONNECTION)
  const splitter = new LineSplitter(await attached.promise, DEFAULT_MAX_LINE_BYTES)
  const asked: Promise<unknown>[] = []
  for (const chunk of chunks) {
    while (connection.load.inFlight < 20 && asked.length < replies)
      asked.push(connection.request('thread/read', {}, { timeoutMs: 30_000 }))
    splitter.push(chunk)
  }
  await Promise.all(asked)
  return seen
}

async function readline(): Promise<number> {
  let seen = 0
  const lines = createInterface({ input: Readable.from(chunks) })
  lines.on('line', (line) => {
    if (JSON.parse(line).method !== undefined) seen++
  })
  await new Promise((resolve) => lines.once('close', resolve))
  return seen
}

/** With a reader for lines in place of its Content-Length framing, which codex does not speak. */
async function vscodeJsonrpc(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let seen = 0
  const reader = new (class extends AbstractMessageReader {
    listen(callback: DataCallback): Disposable {
      const line = (text: string) => {
        const message = JSON.parse(text)
        message.jsonrpc = '2.0'
        if (message.method !== undefined) callback(message)
      }
      const splitter = new LineSplitter({ line, oversize: () => {} }, DEFAULT_MAX_LINE_BYTES)
      for (const chunk of chunks) splitter.push(chunk)
      return { dispose: () => {} }
    }
  })()
  const writer = new (class extends AbstractMessageWriter {
    write = () => Promise.resolve()
    end = () => {}
  })()
  const connection = createMessageConnection(reader, writer)
  connection.onNotification(() => {
    if (++seen === NOTIFICATIONS) resolve(seen)
  })
  connection.listen()
  const count = await promise
  connection.dispose()
  return count
}

const contestants = { floor, drawbridge, 'readline + JSON.parse': readline, 'vscode-jsonrpc': vscodeJsonrpc }
type Name = keyof typeof contestants
const times = new Map<Name, number[]>()
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(contestants) as [Name, () => number | Promise<number>][]) {
    globalThis.gc?.()
    const startedAt = process.hrtime.bigint()
    const seen = await run()
    const ms = Number(process.hrtime.bigint() - startedAt) / 1e6
    if (seen !== NOTIFICATIONS) throw new Error(`${name} delivered ${seen} of ${NOTIFICATIONS}`)
    if (round >= 0) times.set(name, [...(times.get(name) ?? []), ms])
  }
}

const base = median(times.get('floor')!)
printTable(
  `${NOTIFICATIONS} notifications and ${replies} replies, ${(bytes.length / 1e6).toFixed(1)} MB, median of ${ROUNDS}`,
  [...times].map(([name, all]) => ({
    who: name,
    ms: median(all).toFixed(0),
    'µs each': ((median(all) * 1e3) / NOTIFICATIONS).toFixed(2),
    '× floor': (median(all) / base).toFixed(2),
  })),
)
const ours = median(times.get('drawbridge')!)
console.log(
  `ratio ${(ours / base).toFixed(3)} of the floor (goal ≤ 1.25); vscode-jsonrpc takes ${(median(times.get('vscode-jsonrpc')!) / ours).toFixed(1)} × as long (goal ≥ 4)`,
)
