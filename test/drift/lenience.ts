// Whatever codex says, in this version's shapes or in ones we do not know: nothing throws, nothing hangs, nothing is
// swallowed.
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { DrawbridgeError, type TurnOutcome } from '../../src/codex/index.ts'
import type { Subject } from './conformance.ts'
import { type Json, type Mutation, mutated, mutation, singleMutations } from './mutation.ts'
import { type Recording, recordTurn } from './record-turn.ts'
import { openReplayedCodex } from './replayed-codex.ts'

interface Frame {
  readonly method: string
  readonly params?: Json
  readonly [field: string]: Json | undefined
}

const RUNS = 300
const SETTLES_WITHIN_MS = 2_000

export function lenienceConforms(subject: Subject): void {
  describe('lenience', () => {
    let recorded: Promise<Recording> | undefined
    const recording = () => (recorded ??= recordTurn(subject))

    it('hears every notification, however it is shaped, and the turn still ends', async () => {
      const recordedTurn = await recording()
      const frames = recordedTurn.lines.map((line) => JSON.parse(line) as Frame)
      const verdict = frames.pop()!
      await fc.assert(
        fc.asyncProperty(editsOf(frames, futureFrames(recordedTurn)), async (edits) => {
          const said = edited(frames, edits)
          const { heard, seen, outcome, failures } = await replay(recordedTurn, [...said, verdict])
          expect(failures).toEqual([])
          expect(heard).toEqual([...said, verdict])
          expect(said.filter((frame) => isOf(frame, recordedTurn) && !seen.includes(frame))).toEqual([])
          expect(outcome.status).toBe('completed')
          // From 0.150 on the verdict repeats the message.
          if (subject.expected.repeatedItems > 0) expect(outcome.text).toBe('all done')
          expectWellFormed(outcome)
        }),
        { numRuns: RUNS },
      )
    })

    it('takes any verdict: each of its fields may be missing or anything else', async () => {
      const recordedTurn = await recording()
      const verdict = JSON.parse(recordedTurn.lines.at(-1)!) as Frame
      const odd = [verdict, failedVerdict(verdict)].flatMap((frame) => everyMutation(frame.params!, frame))
      for (const frame of odd) {
        const { heard, seen, outcome, failures } = await replay(recordedTurn, [frame, verdict])
        const said = JSON.stringify(frame.params)
        expect(failures, said).toEqual([])
        expect(heard, said).toEqual([frame, verdict])
        // One that names the turn has ended it: nothing after it is the turn's.
        expect(seen.includes(verdict), said).toBe(!isVerdictOn(frame, recordedTurn))
        expectWellFormed(outcome, said)
      }
    })

    it('answers every request once, however it is shaped', async () => {
      const recordedTurn = await recording()
      const requests = [...recordedTurn.requests, ...futureRequests(recordedTurn)] as Frame[]
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...requests), mutation, async (request, change) => {
          const { codex, feed, sent, incidents } = await openReplayedCodex(recordedTurn)
          feed(JSON.stringify({ ...withParams(request, change), id: 'q-1' }))
          const answers = () => sent.filter(({ id, method }) => id === 'q-1' && method === undefined)
          await vi.waitFor(() => expect(answers()).toHaveLength(1), { interval: 1 })
          await codex.close()
          expect(answers()).toHaveLength(1)
          expect(incidents.map(({ type }) => type)).toEqual(['request-refused'])
        }),
        { numRuns: RUNS },
      )
    })

    it('opens, or says why not, whatever the replies', async () => {
      const recordedTurn = await recording()
      const { threadId, turnId } = recordedTurn
      const replies: Record<string, Json> = {
        initialize: {
          userAgent: 'drawbridge/9.9.9 (x)',
          codexHome: '/',
          platformFamily: 'unix',
          platformOs: 'linux',
        },
        'thread/start': {
          thread: { id: threadId, turns: [] },
          approvalPolicy: 'never',
          sandbox: { type: 'readOnly' },
        },
        'turn/start': { turn: { id: turnId, items: [], status: 'inProgress', error: null } },
      }
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...Object.keys(replies)), mutation, async (method, change) => {
          const reply = mutated(replies[method]!, change) ?? null
          const opening = openTurn(recordedTurn, { [method]: reply })
          expect(
            await opening.then(
              () => null,
              (error: unknown) => error,
            ),
          ).toSatisfy((error) => error === null || error instanceof DrawbridgeError)
        }),
        { numRuns: RUNS },
      )
    })
  })
}

/** Feeds a turn and tells who heard what. `failures` are incidents that mean our own code threw. */
async function replay(recording: Recording, said: readonly Frame[]) {
  const { codex, feed, incidents } = await openReplayedCodex(recording)
  const heard: Frame[] = []
  const frames = new Map(said.map((frame) => [JSON.stringify(frame), frame]))
  codex.subscribe(({ raw }) => heard.push(frames.get(raw)!))
  const turn = await (await codex.startThread()).startTurn('go')
  for (const frame of said) feed(JSON.stringify(frame))
  const seen: Frame[] = []
  const reading = (async () => {
    for await (const { raw } of turn) seen.push(frames.get(raw)!)
  })()
  const outcome = await settled(turn.outcome, () => JSON.stringify(said.slice(-2)))
  await reading
  await codex.close()
  return { heard, seen, outcome, failures: incidents.map((incident) => inspect(incident)) }
}

async function openTurn(recording: Recording, replies: Record<string, Json>): Promise<void> {
  const { codex } = await openReplayedCodex(recording, replies)
  try {
    await (await codex.startThread()).startTurn('go')
  } finally {
    await codex.close()
  }
}

interface Edits {
  readonly changes: readonly { readonly at: number; readonly mutation: Mutation }[]
  readonly inserts: readonly { readonly at: number; readonly frame: Frame }[]
}

function editsOf(frames: readonly Frame[], future: readonly Frame[]): fc.Arbitrary<Edits> {
  const change = fc.record({ at: fc.nat(frames.length - 1), mutation })
  const insert = fc.record({ at: fc.nat(frames.length), frame: fc.constantFrom(...future) })
  return fc.record({
    changes: fc.array(change, { maxLength: 8 }),
    inserts: fc.array(insert, { maxLength: 4 }),
  })
}

/** Some frames of the turn changed, and some from the future put between them. */
function edited(frames: readonly Frame[], { changes, inserts }: Edits): Frame[] {
  const said = [...frames]
  for (const { at, mutation: change } of changes) said[at] = withParams(said[at]!, change)
  for (const { at, frame } of inserts) said.splice(at, 0, frame)
  // Told apart by their text: two equal lines would be one frame to the test.
  return said.map((frame, nthInTest) => ({ ...frame, nthInTest }))
}

function withParams(frame: Frame, change: Mutation): Frame {
  const params = mutated(frame.params ?? null, change)
  const { params: _, ...rest } = frame
  return (params === undefined ? rest : { ...rest, params }) as Frame
}

function futureFrames({ threadId, turnId }: Recording): Frame[] {
  const item = { type: 'telepathy', id: 'i-1', thoughts: [1, 2] }
  return [
    { method: 'future/of/turn', params: { threadId, turnId, novelty: true } },
    { method: 'future/of/thread', params: { threadId } },
    { method: 'future/global' },
    { method: 'toString', params: [] },
    { method: 'item/started', params: { threadId, turnId, item } },
    { method: 'item/completed', params: { threadId, turnId, item } },
    { method: 'item/completed', params: { threadId, turnId, item: null } },
    { method: 'thread/status/changed', params: { threadId, status: { type: 'dreaming' } } },
    { method: 'serverRequest/resolved', params: { threadId } },
  ]
}

function futureRequests({ threadId, turnId }: Recording): Frame[] {
  const params = { threadId, turnId, itemId: 'i-1' }
  return [
    { method: 'item/tool/call', params: { ...params, callId: 'c-1', tool: 'demo', arguments: {} } },
    { method: 'item/tool/requestUserInput', params: { ...params, questions: [] } },
    { method: 'mcpServer/elicitation/request', params: { ...params, serverName: 's', message: 'm' } },
    { method: 'item/permissions/requestApproval', params: { ...params, permissions: {} } },
    { method: 'item/telepathy/requestApproval', params },
    { method: 'future/request', params },
  ]
}

function failedVerdict(verdict: Frame): Frame {
  const { turn, ...params } = verdict.params as { turn: { readonly [key: string]: Json } }
  const codexErrorInfo = { httpConnectionFailed: { httpStatusCode: 401 } }
  const error = { message: 'boom', codexErrorInfo, additionalDetails: null }
  return { ...verdict, params: { ...params, turn: { ...turn, status: 'failed', error } } }
}

function everyMutation(params: Json, frame: Frame): Frame[] {
  return [...singleMutations(params)].map((odd) => ({ ...frame, params: odd }))
}

function isVerdictOn({ params }: Frame, { threadId, turnId }: Recording): boolean {
  const { threadId: thread, turn } = Object(params) as { threadId?: Json; turn?: Json }
  return thread === threadId && (Object(turn) as { id?: Json }).id === turnId
}

/** Whether a frame names this turn, or only its thread. */
function isOf({ params }: Frame, { threadId, turnId }: Recording): boolean {
  const { threadId: thread, turnId: turn } = Object(params) as { threadId?: Json; turnId?: Json }
  return thread === threadId && turn === turnId
}

async function settled(outcome: Promise<TurnOutcome>, what: () => string): Promise<TurnOutcome> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`the turn did not end: ${what()}`)), SETTLES_WITHIN_MS)
  return Promise.race([outcome, promise]).finally(() => clearTimeout(timer))
}

/** Types say so much; here it is checked, since codex's values pass through. */
function expectWellFormed(outcome: TurnOutcome, said?: string): void {
  expect(['completed', 'interrupted', 'failed'], said).toContain(outcome.status)
  expect(outcome.text === null || typeof outcome.text === 'string', said).toBe(true)
  expect(Object.values(outcome.usage ?? {}).every(Number.isFinite), said).toBe(true)
  if (outcome.status !== 'failed') return
  expect(typeof outcome.error.code, said).toBe('string')
  expect(typeof outcome.error.message, said).toBe('string')
}
