// 200 SSE followers of one task that streams: all receive all, and what that costs the service in memory. The followers
// run in a process of their own.
// Run: npm run bench:fanout
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, readToken } from '../src/api/index.ts'
import {
  lastUserText,
  makeCodexHome,
  makeWorkspace,
  message,
  startScriptedModel,
} from '../src/testing/index.ts'
import { printTable } from './report.ts'
import { openService } from './service.ts'

const FOLLOWERS = 200
const DELTAS = 5_000
const DELTA = 'tick '

interface Order {
  readonly url: string
  readonly token: string
  readonly taskId: string
  readonly after: number
  readonly followers: number
}

interface Received {
  /** The whole answer, every event once, in order. */
  readonly isWhole: boolean
}

/** This file again, as the followers. */
async function followAll({ url, token, taskId, after, followers }: Order): Promise<void> {
  const client = connect({ url, token, actor: 'bench' })
  const all = Array.from({ length: followers }, async (): Promise<Received> => {
    let text = ''
    let last = after
    let isOrdered = true
    let doubles = 0
    for await (const { seq, event } of client.tasks.follow(taskId, { after })) {
      if (seq === last) doubles++
      if (seq < last) isOrdered = false
      last = seq
      const { item } = event.params as { item?: { type: string; text: string } }
      if (event.method === 'item/completed' && item?.type === 'agentMessage') text = item.text
      if (event.method === 'turn/completed') break
    }
    return { isWhole: isOrdered && doubles === 0 && text === DELTA.repeat(DELTAS) }
  })
  process.send!('following')
  // Only once it is out: leaving cuts off what is still on its way.
  process.send!(await Promise.all(all), () => process.disconnect())
}

async function streamTo(followers: number, place: { home: string; cwd: string }) {
  const service = await openService({ streams: followers + 10 })
  const { tasks, api, dataDir } = service
  const request = { prompt: 'hello', cwd: place.cwd, codexHome: place.home, keepOpen: true }
  const { id } = await tasks.start(request, { actor: 'bench' })
  const { lastSeq } = await tasks.wait(id, { timeoutMs: 60_000 })
  const order: Order = { url: api.url, token: readToken(dataDir)!, taskId: id, after: lastSeq, followers }
  const child = fork(import.meta.filename, [JSON.stringify(order)])
  await once(child, 'message')
  const before = process.memoryUsage().rss
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 50)
  const startedAt = performance.now()
  await tasks.send(id, { input: 'count', mode: 'queue' }, { actor: 'bench' })
  const [received] = (await once(child, 'message')) as [Received[]]
  const wallMs = performance.now() - startedAt
  clearInterval(sampling)
  await service.end()
  const whole = received.filter(({ isWhole }) => isWhole)
  return { whole: whole.length, wallMs, grewMb: (peak - before) / 1024 ** 2 }
}

async function compare(): Promise<void> {
  const model = await startScriptedModel((asked) =>
    lastUserText(asked).includes('count') ? message(DELTA, { count: DELTAS }) : message('ready'),
  )
  await using home = await makeCodexHome(model)
  await using workspace = await makeWorkspace()
  const place = { home: home.path, cwd: workspace.path }
  const one = await streamTo(1, place)
  const many = await streamTo(FOLLOWERS, place)
  await model.close()
  printTable(
    `${DELTAS} deltas to followers of one task`,
    [one, many].map(({ whole, wallMs, grewMb }, index) => ({
      followers: index === 0 ? '1' : `${FOLLOWERS}`,
      'received all': `${whole}`,
      'wall ms': wallMs.toFixed(0),
      'service grew MB': grewMb.toFixed(0),
    })),
  )
  if (one.whole !== 1 || many.whole !== FOLLOWERS) process.exitCode = 1
  const perFollower = many.wallMs / one.wallMs / FOLLOWERS
  console.log(
    `ratio ${perFollower.toFixed(3)} of one follower's time for each of ${FOLLOWERS}; ${many.whole} of ${FOLLOWERS} received all, the service grew ${many.grewMb.toFixed(0)} MB`,
  )
}

const [, , order] = process.argv
await (order ? followAll(JSON.parse(order)) : compare())
