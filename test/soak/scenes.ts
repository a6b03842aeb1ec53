// What is done to a turn, one entry each, and how it may end then.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { ThreadBusyError, type Turn } from '../../src/codex/index.ts'
import { answerText, type Prompt, promptText } from './prompt.ts'
import type { Stage } from './stage.ts'

/** A deadline that is never reached: its timer must go with the turn. */
const FAR_AWAY_MS = 3_600_000

type Scene = (stage: Stage) => Promise<void>

/** Long enough for something to be done to it meanwhile. */
function longStream({ random }: Stage): Pick<Prompt, 'deltas' | 'delayMs'> {
  return { deltas: random.between(20, 60), delayMs: random.between(2, 6) }
}

async function say(stage: Stage): Promise<void> {
  const prompt = stage.prompt('say')
  const turn = await stage.start(prompt, stage.random.isTrue(0.3) ? { timeoutMs: FAR_AWAY_MS } : {})
  await stage.watch(turn)
  await stage.answered(turn, prompt)
}

async function stream(stage: Stage): Promise<void> {
  const { random } = stage
  const pace = { deltas: random.between(20, 300), delayMs: random.between(0, 1) }
  const prompt = stage.prompt('stream', pace)
  const turn = await stage.start(prompt)
  const { deltas, streamed } = await stage.watch(turn)
  await stage.answered(turn, prompt)
  assert.equal(deltas, pace.deltas)
  assert.equal(streamed, answerText(prompt))
}

async function command(stage: Stage): Promise<void> {
  const prompt = stage.prompt('command')
  const turn = await stage.start(prompt)
  await stage.watch(turn)
  await stage.answered(turn, prompt)
  const commands = [...turn.items.values()].filter(({ type }) => type === 'commandExecution')
  assert.deepEqual(commands, [{ type: 'commandExecution', status: 'completed' }])
}

async function steer(stage: Stage): Promise<void> {
  const { thread, ledger, random } = stage
  const prompt = stage.prompt('stream', longStream(stage))
  const more = stage.prompt('say')
  const options = { whenStale: 'queue', clientMessageId: more.id } as const
  const turn = await stage.start(prompt)
  const at = random.between(1, prompt.deltas!)
  let heard = 0
  let lastItem: { type: string; clientId?: string | null } | undefined
  let steering: ReturnType<typeof thread.steer> | undefined
  await stage.watch(turn, ({ method, params }) => {
    if (method === 'item/completed') lastItem = params.item
    if (method !== 'item/agentMessage/delta' || ++heard !== at) return
    steering = thread.steer(promptText(more), options)
    assert.equal(thread.steer('never sent', options), steering)
    steering.catch(() => {}) // told below
  })
  if (!steering) return void (await stage.ended(turn, 'completed'))
  const steered = await ledger.track(`steer ${more.id}`, steering)
  if ('turn' in steered) {
    ledger.count('steers taken')
    // codex 0.166 takes one that comes between the model's last word and the end of the turn, and never answers it.
    const isLast = lastItem?.type === 'userMessage' && lastItem.clientId === more.id
    if (isLast) ledger.count('steers taken by codex and not answered')
    return stage.answered(turn, isLast ? prompt : more)
  }
  ledger.count('steers queued')
  stage.expectQueued(steered.queued, more)
  await stage.answered(turn, prompt)
  await stage.answered(await stage.started(steered.queued), more)
}

async function steerEnded(stage: Stage): Promise<void> {
  const prompt = stage.prompt('say')
  const turn = await stage.start(prompt)
  await stage.answered(turn, prompt)
  const more = stage.prompt('say')
  const steered = await stage.thread.steer(promptText(more), {
    whenStale: 'queue',
    clientMessageId: more.id,
  })
  assert.ok('queued' in steered)
  stage.ledger.count('steers queued')
  stage.expectQueued(steered.queued, more)
  await stage.answered(await stage.started(steered.queued), more)
}

async function queue(stage: Stage): Promise<void> {
  const prompt = stage.prompt('stream', longStream(stage))
  const turn = await stage.start(prompt)
  const next = stage.prompt('say')
  const last = stage.prompt('command')
  const queued = [stage.queue(next), stage.queue(last)] as const
  if (stage.thread.isBusy) await assert.rejects(stage.thread.startTurn('too early'), ThreadBusyError)
  await stage.watch(turn)
  await stage.answered(turn, prompt)
  await stage.answered(await stage.started(queued[0]), next)
  await stage.answered(await stage.started(queued[1]), last)
}

async function queueCancelled(stage: Stage): Promise<void> {
  const prompt = stage.prompt('stream', longStream(stage))
  const turn = await stage.start(prompt)
  const queued = stage.queue(stage.prompt('say'))
  assert.equal(queued.cancel(), true)
  assert.equal(queued.cancel(), false)
  await assert.rejects(stage.started(queued), { name: 'AbortError' })
  stage.thread.queue.add('one nobody waits for').cancel()
  await stage.answered(turn, prompt)
}

async function interrupt(stage: Stage): Promise<void> {
  const { random, ledger } = stage
  const prompt = stage.prompt(random.isTrue(0.2) ? 'hang' : 'stream', longStream(stage))
  const turn = await stage.start(prompt)
  const watching = random.isTrue() ? stage.watch(turn) : undefined
  watching?.catch(() => {}) // its failure is told below
  await delay(random.between(0, 250))
  await ledger.track('interrupt', turn.interrupt())
  await watching
  await stopped(stage, turn)
  await ledger.track('second interrupt', turn.interrupt())
}

async function interruptCommand(stage: Stage): Promise<void> {
  const turn = await stage.start(stage.prompt('sleep'))
  await stage.ledger.track('a command', firstCommand(turn))
  await stage.ledger.track('interrupt', turn.interrupt())
  const outcome = await stage.ended(turn, 'interrupted')
  assert.equal(outcome.by, 'user')
}

async function firstCommand(turn: Turn): Promise<void> {
  for await (const { method, params } of turn)
    if (method === 'item/started' && params.item.type === 'commandExecution') return
}

async function abort(stage: Stage): Promise<void> {
  const { random } = stage
  const controller = new AbortController()
  const prompt = stage.prompt('stream', longStream(stage))
  const starting = stage.start(prompt, { signal: controller.signal })
  if (random.isTrue(0.3)) controller.abort()
  const turn = await starting
  await delay(random.between(0, 150))
  controller.abort()
  await stopped(stage, turn)
}

/** Interrupted by us, unless it had come to its end just before. */
async function stopped(stage: Stage, turn: Turn): Promise<void> {
  const outcome = await stage.ended(turn, 'interrupted', 'completed')
  if (outcome.status === 'interrupted') assert.equal(outcome.by, 'user')
}

async function deadline(stage: Stage): Promise<void> {
  const timeoutMs = stage.random.between(1, 150)
  const turn = await stage.start(stage.prompt('hang'), { timeoutMs })
  if (stage.random.isTrue()) await stage.watch(turn)
  const outcome = await stage.ended(turn, 'timed-out')
  assert.equal(outcome.timeoutMs, timeoutMs)
}

async function deadlineRace(stage: Stage): Promise<void> {
  const timeoutMs = stage.random.between(20, 300)
  const turn = await stage.start(stage.prompt('stream', longStream(stage)), { timeoutMs })
  await stage.ended(turn, 'timed-out', 'completed')
}

async function leaveEarly(stage: Stage): Promise<void> {
  const prompt = stage.prompt('stream', longStream(stage))
  const turn = await stage.start(prompt)
  const enough = stage.random.between(1, 20)
  let seen = 0
  const leave = async () => {
    for await (const _ of turn) if (++seen === enough) break
  }
  await stage.ledger.track('leaving early', leave())
  await stage.answered(turn, prompt)
}

async function neverIterate(stage: Stage): Promise<void> {
  const prompt = stage.prompt(stage.random.isTrue() ? 'command' : 'stream', { deltas: 100 })
  const turn = await stage.start(prompt)
  if (stage.random.isTrue(0.3)) turn.discardEvents()
  await stage.answered(turn, prompt)
}

/** One who hears everything on the client for a while, and leaves. */
async function listen(stage: Stage): Promise<void> {
  const prompt = stage.prompt('say')
  const heard = stage.codex.notifications()
  const turn = await stage.start(prompt)
  const ownEnd = async () => {
    for await (const { method, params } of heard)
      if (method === 'turn/completed' && params.turn.id === turn.id) return
  }
  await stage.ledger.track('the end of a turn on the client', ownEnd())
  await stage.answered(turn, prompt)
}

async function modelFailure(stage: Stage): Promise<void> {
  const turn = await stage.start(stage.prompt(stage.random.isTrue() ? 'http-error' : 'cut'))
  await stage.watch(turn)
  await stage.ended(turn, 'failed')
}

/** What else runs on the app-server is lost with it, whatever scene it is in. */
async function kill(stage: Stage): Promise<void> {
  const turn = await stage.start(stage.prompt(stage.random.isTrue(0.3) ? 'sleep' : 'hang'))
  await delay(stage.random.between(0, 200))
  const [outcome] = await Promise.all([stage.ended(turn, 'lost'), stage.fleet.kill()])
  stage.lost(outcome)
}

export const scenes = {
  say,
  stream,
  command,
  steer,
  steerEnded,
  queue,
  queueCancelled,
  interrupt,
  interruptCommand,
  abort,
  deadline,
  deadlineRace,
  leaveEarly,
  neverIterate,
  listen,
  modelFailure,
  kill,
} satisfies Record<string, Scene>

/** How often each is played. A kill is not left to chance. */
export const WEIGHTS: Readonly<Record<keyof typeof scenes, number>> = {
  say: 16,
  stream: 12,
  command: 10,
  steer: 12,
  steerEnded: 3,
  queue: 6,
  queueCancelled: 3,
  interrupt: 10,
  interruptCommand: 3,
  abort: 5,
  deadline: 5,
  deadlineRace: 4,
  leaveEarly: 6,
  neverIterate: 6,
  listen: 3,
  modelFailure: 6,
  kill: 0,
}
