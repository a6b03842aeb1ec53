import { describe, expect, it } from 'vitest'
import { AnswerTrace, answerInHistory, type Heard } from './answer-trace.ts'

const COMMAND = { kind: 'command', itemId: 'c1', turnId: 't1' } as const
const CHANGE = { kind: 'file-change', itemId: 'c1', turnId: 't1' } as const
const TOOL = { kind: 'mcp-tool', itemId: 'c1', turnId: 't1' } as const

const completed = (item: object, turnId = 't1'): Heard => ({
  method: 'item/completed',
  params: { turnId, item: { id: 'c1', ...item } },
})
const goesOn: Heard = { method: 'item/started', params: { turnId: 't1', item: { id: 'm1' } } }
const ended = (status: string, id = 't1'): Heard => ({
  method: 'turn/completed',
  params: { turn: { id, status } },
})
const output: Heard = { method: 'item/commandExecution/outputDelta', params: { turnId: 't1', itemId: 'c1' } }
const declined = completed({ status: 'declined' })

/** What is shown, and by which of them. */
function shown(asked: ConstructorParameters<typeof AnswerTrace>[0], heard: readonly Heard[]) {
  const trace = new AnswerTrace(asked)
  for (const [index, one] of heard.entries()) {
    const answer = trace.hear(one)
    if (answer) return { ...answer, index }
  }
  return null
}

describe('what follows a question that was answered elsewhere shows', () => {
  it.each([
    ['a command that ran', COMMAND, [completed({ status: 'completed' })], 'once', 0],
    ['a command that ran and failed', COMMAND, [completed({ status: 'failed', processId: '7' })], 'once', 0],
    ['a command that still runs', COMMAND, [goesOn, output], 'once', 1],
    ['a command that was declined', COMMAND, [declined, goesOn], 'deny', 1],
    ['a command that was declined with its turn', COMMAND, [declined, ended('interrupted')], 'cancel', 1],
    ['a command that never ran', COMMAND, [completed({ status: 'failed' }), ended('completed')], 'deny', 1],
    ['a turn that was interrupted meanwhile', COMMAND, [ended('interrupted')], null, 0],
    ['a change that was made', CHANGE, [completed({ status: 'completed' })], 'once', 0],
    ['a change that was declined', CHANGE, [declined, goesOn], 'deny', 1],
    ['a change that ended the turn', CHANGE, [ended('interrupted')], 'cancel', 0],
    ['a tool that ran', TOOL, [completed({ status: 'completed' })], 'once', 0],
    [
      'a tool that failed by itself',
      TOOL,
      [completed({ status: 'failed', error: { message: 'no' } })],
      'once',
      0,
    ],
    [
      'a tool that was declined',
      TOOL,
      [completed({ status: 'failed', error: { message: 'user rejected MCP tool call' } })],
      'deny',
      0,
    ],
  ] as const)('%s', (_, asked, heard, answer, index) => {
    expect(shown(asked, heard)).toEqual({ answer, index })
  })

  it('nothing when it is of another item, turn or shape', () => {
    const foreign: Heard[] = [
      completed({ id: 'c2', status: 'completed' }),
      completed({ status: 'completed' }, 't2'),
      ended('interrupted', 't2'),
      { method: 'item/completed', params: null },
      { method: 'item/completed', params: { turnId: 't1' } },
    ]
    expect(shown(COMMAND, foreign)).toBeNull()
  })

  it('only where the answer has an item', () => {
    expect(AnswerTrace.canShow(COMMAND)).toBe(true)
    expect(AnswerTrace.canShow({ ...COMMAND, itemId: null })).toBe(false)
    expect(AnswerTrace.canShow({ ...COMMAND, kind: 'user-input' })).toBe(false)
  })
})

describe('the history shows of a question that codex no longer waits for', () => {
  const turn = (status: string, items: readonly object[]) => [{ id: 't1', status, items }] as never

  it.each([
    [
      'its answer, while the turn runs',
      'inProgress',
      [{ id: 'c1', status: 'completed' }],
      { answer: 'once' },
    ],
    ['that there was one, while its item runs', 'inProgress', [], { answer: null }],
    ['that there was one, in a turn that was completed', 'completed', [], { answer: null }],
    ['the end of the turn', 'interrupted', [{ id: 'c1', status: 'declined' }], { answer: 'cancel' }],
    [
      'an answer before the turn was interrupted',
      'interrupted',
      [{ id: 'c1', status: 'completed' }],
      { answer: 'once' },
    ],
    ['nothing, where the turn was interrupted with it', 'interrupted', [], null],
    ['nothing, where the turn failed with it', 'failed', [{ id: 'c1', status: 'inProgress' }], null],
    [
      'its answer, where the turn failed later',
      'failed',
      [{ id: 'c1', status: 'declined' }],
      { answer: 'deny' },
    ],
  ] as const)('%s', (_, status, items, answer) => {
    expect(answerInHistory(COMMAND, turn(status, items))).toEqual(answer)
  })

  it('nothing of a turn that it does not have', () => {
    expect(answerInHistory({ ...COMMAND, turnId: 't9' }, turn('completed', []))).toBeNull()
  })
})
