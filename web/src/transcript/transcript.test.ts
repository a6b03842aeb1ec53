import { describe, expect, it } from 'vitest'
import type { EventEnvelope } from '../api/contract.ts'
import type { Row } from './row.ts'
import { Transcript } from './transcript.ts'

const THREAD = 'thread-1'
const at = { threadId: THREAD, turnId: 'turn-1' }

/** Events from `method, params` pairs, folded. */
function fold(...said: readonly (readonly [string, object])[]): Transcript {
  const transcript = new Transcript(THREAD)
  for (const envelope of envelopes(said)) transcript.apply(envelope)
  return transcript
}

function envelopes(said: readonly (readonly [string, object])[]): EventEnvelope[] {
  return said.map(([method, params], index) => ({
    taskId: 'task',
    seq: index + 1,
    at: index,
    event: { method, params },
  }))
}

const message = (id: string, text = '') => ({ ...at, item: { type: 'agentMessage', id, text } })
const delta = (itemId: string, text: string) => ({ ...at, itemId, delta: text })
const kinds = (rows: readonly Row[]) => rows.map((row) => (row.kind === 'item' ? row.item.type : row.kind))

describe('messages', () => {
  it('grow with their deltas and end as the completed item says', () => {
    const written = fold(
      ['item/started', message('a')],
      ['item/agentMessage/delta', delta('a', 'Hel')],
      ['item/agentMessage/delta', delta('a', 'lo')],
    )
    expect(written.rows).toMatchObject([{ isOpen: true, live: 'Hello' }])
    written.apply({
      taskId: 'task',
      seq: 9,
      at: 9,
      event: { method: 'item/completed', params: message('a', 'Hello.') },
    })
    expect(written.rows).toMatchObject([{ isOpen: false, live: '', item: { text: 'Hello.' } }])
  })

  it('are all kept, two in one turn with nothing between', () => {
    expect(
      fold(['item/completed', message('a', 'one')], ['item/completed', message('b', 'two')]).rows,
    ).toHaveLength(2)
  })

  it('do not split where reasoning comes between', () => {
    const { rows } = fold(
      ['item/started', message('a')],
      ['item/agentMessage/delta', delta('a', 'one ')],
      ['item/reasoning/summaryTextDelta', { ...delta('r', 'hm'), summaryIndex: 0 }],
      ['item/agentMessage/delta', delta('a', 'two')],
    )
    expect(rows).toMatchObject([{ live: 'one two' }, { item: { type: 'reasoning' }, live: 'hm' }])
  })

  it('are the same whether they were seen live or read later', () => {
    const live = fold(
      ['item/started', message('a')],
      ['item/agentMessage/delta', delta('a', 'Hi')],
      ['item/completed', message('a', 'Hi')],
    )
    const read = fold(['item/completed', message('a', 'Hi')])
    expect(live.rows.map((row) => ({ ...row, seq: 0, at: 0 }))).toEqual(
      read.rows.map((row) => ({ ...row, seq: 0, at: 0 })),
    )
  })
})

describe('the end of a turn', () => {
  it('closes what was still open, and takes a late end of it', () => {
    const cut = fold(
      ['item/started', { ...at, item: { type: 'commandExecution', id: 'c', command: 'sleep 9' } }],
      ['turn/completed', { threadId: THREAD, turn: { id: 'turn-1', status: 'interrupted' } }],
    )
    expect(cut.rows).toMatchObject([
      { isOpen: false, isCut: true },
      { kind: 'turn-end', status: 'interrupted' },
    ])
    cut.apply({
      taskId: 'task',
      seq: 9,
      at: 9,
      event: {
        method: 'item/completed',
        params: { ...at, item: { type: 'commandExecution', id: 'c', exitCode: 0 } },
      },
    })
    expect(cut.rows).toMatchObject([{ isCut: false, item: { exitCode: 0 } }, { kind: 'turn-end' }])
  })

  it('tells an error once', () => {
    const { rows } = fold(
      ['error', { ...at, willRetry: false, error: { message: 'no' } }],
      [
        'turn/completed',
        { threadId: THREAD, turn: { id: 'turn-1', status: 'failed', error: { message: 'no' } } },
      ],
    )
    expect(kinds(rows)).toEqual(['error', 'turn-end'])
  })

  it('tells the error of a turn that failed without saying so before', () => {
    const { rows } = fold([
      'turn/completed',
      { threadId: THREAD, turn: { id: 'turn-1', status: 'failed', error: { message: 'no' } } },
    ])
    expect(rows).toMatchObject([{ kind: 'error', message: 'no' }, { kind: 'turn-end' }])
  })
})

describe('what is too large for the log', () => {
  const large = (method: string, itemId: string | null = null) =>
    ['drawbridge/oversize', { method, itemId, bytes: 3e6, head: '{"method"', pointer: '/v1/x' }] as const
  const became = (codexSaid: string) =>
    ['drawbridge/task', { reason: 'why', evidence: { turnId: 'turn-1', codexSaid } }] as const

  it('stands where its item began, which was not cut short', () => {
    const { rows } = fold(
      ['item/started', message('a')],
      ['item/agentMessage/delta', delta('a', 'much')],
      ['item/completed', message('b')],
      large('item/completed', 'a'),
      ['turn/completed', { threadId: THREAD, turn: { id: 'turn-1', status: 'completed' } }],
    )
    expect(kinds(rows)).toEqual(['oversize', 'agentMessage', 'turn-end'])
    // By this the whole of it is asked for.
    expect(rows[0]).toMatchObject({ key: 'item:a', seq: 4, bytes: 3e6, hasWhole: true })
  })

  it('is a row of its own when nothing of it was heard before', () => {
    expect(fold(large('item/completed', 'a'), large('future/thing')).rows).toMatchObject([
      { kind: 'oversize', method: 'item/completed' },
      { kind: 'oversize', method: 'future/thing' },
    ])
  })

  it('is the end of a turn once the task says how it ended', () => {
    const said = [['item/started', message('a')], large('turn/completed')] as const
    expect(kinds(fold(...said).rows)).toEqual(['agentMessage', 'oversize'])
    expect(fold(...said, became('completed')).rows).toMatchObject([
      { kind: 'item', isOpen: false, isCut: true },
      { kind: 'turn-end', status: 'completed', turnId: 'turn-1' },
    ])
    expect(fold(...said, became('failed')).rows).toMatchObject([
      { kind: 'item' },
      { kind: 'turn-end', status: 'failed' },
      { kind: 'error', message: 'why' },
    ])
  })

  it('leaves ends that were told as they are', () => {
    const end = { threadId: THREAD, turn: { id: 'turn-1', status: 'interrupted' } }
    expect(fold(['turn/completed', end], became('timed-out')).rows).toMatchObject([{ status: 'interrupted' }])
  })
})

describe('errors that are tried again', () => {
  const retry = ['error', { ...at, willRetry: true, error: { message: 'busy' } }] as const

  it('are progress in one place', () => {
    expect(fold(retry, retry).rows).toMatchObject([
      { kind: 'error', attempts: 2, willRetry: true, isOver: false },
    ])
  })

  it('are over when the turn goes on', () => {
    expect(fold(retry, ['item/started', message('a')]).rows[0]).toMatchObject({ isOver: true })
  })

  it('are an error when the turn fails', () => {
    const { rows } = fold(retry, [
      'turn/completed',
      { threadId: THREAD, turn: { id: 'turn-1', status: 'failed' } },
    ])
    expect(rows[0]).toMatchObject({ kind: 'error', willRetry: false, isOver: false })
  })
})

describe('sub-agents', () => {
  it('are nested in one row, with all that happens on their thread', () => {
    const child = { threadId: 'child', turnId: 'turn-c' }
    const { rows } = fold(
      ['item/completed', message('a', 'I ask a sub-agent')],
      ['item/started', { ...child, item: { type: 'agentMessage', id: 'x' } }],
      ['item/completed', message('b', 'and go on')],
      ['item/completed', { ...child, item: { type: 'agentMessage', id: 'x', text: 'done' } }],
    )
    expect(kinds(rows)).toEqual(['agentMessage', 'agent', 'agentMessage'])
    expect(rows[1]).toMatchObject({
      threadId: 'child',
      version: 2,
      rows: [{ isOpen: false, item: { text: 'done' } }],
    })
  })
})

it('names a sub-agent by what it was started for, before or after it was heard of', () => {
  const spawned = {
    type: 'collabAgentToolCall',
    id: 's',
    tool: 'spawnAgent',
    receiverThreadIds: ['child'],
    prompt: 'look',
  }
  const heard = ['item/completed', { threadId: 'child', item: { type: 'agentMessage', id: 'x' } }] as const
  const said = ['item/completed', { ...at, item: spawned }] as const
  for (const events of [
    [heard, said],
    [said, heard],
  ])
    expect(fold(...events).rows.find(({ kind }) => kind === 'agent')).toMatchObject({ name: 'look' })
})

describe('questions', () => {
  it('keep their place and say how they ended', () => {
    const asked = {
      approvalId: 'q',
      kind: 'command',
      title: 'run ls',
      by: null,
      actor: null,
      answer: null,
      why: null,
    }
    const { rows } = fold(
      ['drawbridge/approval', { ...asked, status: 'pending' }],
      ['item/completed', message('a', 'waiting')],
      ['drawbridge/approval', { ...asked, status: 'answered', by: 'person', actor: 'alice', answer: 'once' }],
    )
    expect(rows).toMatchObject([{ kind: 'asked', status: 'answered', actor: 'alice' }, { kind: 'item' }])
  })
})

it('a hook is a row for each attempt, with what it wrote', () => {
  const run = (attempt: number, more: object) => ({ runId: 'r', attempt, hook: 'install', ...more })
  const { rows } = fold(
    ['drawbridge/hook', run(1, { on: 'before', title: 'npm ci', status: 'started' })],
    ['drawbridge/hook-output', run(1, { stream: 'stdout', text: 'one' })],
    ['drawbridge/hook-output', run(1, { stream: 'stderr', text: ' two' })],
    [
      'drawbridge/hook',
      run(1, { on: 'before', title: 'npm ci', status: 'failed', exitCode: 3, problem: 'no' }),
    ],
    ['drawbridge/hook', run(2, { on: 'before', title: 'npm ci', status: 'started' })],
  )
  expect(rows).toMatchObject([
    { kind: 'hook', title: 'npm ci', status: 'failed', exitCode: 3, problem: 'no', output: 'one two' },
    { kind: 'hook', status: 'started', output: '' },
  ])
})

describe('what nobody knows', () => {
  it('is shown as it came: methods, and items', () => {
    const { rows } = fold(
      ['future/thing', { ...at, x: 1 }],
      ['item/completed', { ...at, item: { type: 'hologram', id: 'h', depth: 3 } }],
    )
    expect(rows).toMatchObject([
      { kind: 'raw', method: 'future/thing', params: { x: 1 } },
      { item: { type: 'hologram', depth: 3 } },
    ])
  })

  it('breaks nothing: no params, no item, another shape', () => {
    const odd = [
      'item/started',
      'item/completed',
      'item/agentMessage/delta',
      'turn/completed',
      'error',
      'turn/plan/updated',
      'drawbridge/approval',
      'drawbridge/oversize',
      'drawbridge/hook',
      'drawbridge/hook-output',
      'drawbridge/task',
      'thread/tokenUsage/updated',
    ]
    for (const method of odd)
      for (const params of [null, undefined, 1, 'x', [], {}, { item: 3 }, { turn: [] }, { plan: [null] }])
        expect(() => fold([method, params as object])).not.toThrow()
  })
})

describe('facts beside the transcript', () => {
  it('count tokens by turn and keep the last diff of each', () => {
    const used = {
      last: { totalTokens: 12, inputTokens: 10, cachedInputTokens: 4, outputTokens: 2 },
      modelContextWindow: 100,
    }
    const { facts } = fold(
      ['thread/tokenUsage/updated', { ...at, tokenUsage: used }],
      ['thread/tokenUsage/updated', { ...at, tokenUsage: used }],
      ['turn/diff/updated', { ...at, diff: 'one' }],
      ['turn/diff/updated', { ...at, diff: 'two' }],
    )
    expect(facts.tokens.get('turn-1')).toMatchObject({ input: 20, cached: 8, output: 4 })
    expect([...facts.diffs]).toEqual([['turn-1', 'two']])
    expect(facts).toMatchObject({ contextWindow: 100, contextTokens: 12 })
  })
})

it('folds 50,000 events, a row each', () => {
  const many = envelopes(
    Array.from({ length: 50_000 }, (_, index): [string, object] =>
      index % 50 === 49
        ? [
            'turn/completed',
            { threadId: THREAD, turn: { id: `turn-${Math.floor(index / 50)}`, status: 'completed' } },
          ]
        : [
            'item/completed',
            {
              threadId: THREAD,
              turnId: `turn-${Math.floor(index / 50)}`,
              item: { type: 'agentMessage', id: `i${index}`, text: 'x' },
            },
          ],
    ),
  )
  const transcript = new Transcript(THREAD)
  for (const envelope of many) transcript.apply(envelope)
  expect(transcript.rows).toHaveLength(50_000)
})
