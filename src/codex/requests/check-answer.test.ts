import { describe, expect, it } from 'vitest'
import { commandQuestion } from '../../../test/support/questions.ts'
import { asyncQuestion } from './async-question.ts'
import { checkAnswer } from './check-answer.ts'
import { elicitation } from './elicitation.ts'
import { facts } from './fixtures/facts.ts'
import type { Answer, Question } from './question.ts'

const bad = expect.objectContaining({ code: 'bad-answer' })

function takes(question: Question, good: readonly Answer[], wrong: readonly unknown[]): void {
  for (const answer of good) expect(() => checkAnswer(question, answer)).not.toThrow()
  for (const answer of wrong) expect(() => checkAnswer(question, answer as Answer)).toThrow(bad)
}

describe('an answer is checked before it is on its way', () => {
  it('for a request, as it would be by codex’s shape', () => {
    takes(commandQuestion(), ['once', 'deny', { result: {} }], ['always', { answers: {} }])
  })

  it('for a tool, though its call is no longer known', () => {
    const call = { type: 'mcpToolCall', id: 'call', server: 'asker', tool: 'danger', arguments: {} }
    const params = {
      threadId: 'thread',
      turnId: 'turn',
      serverName: 'asker',
      mode: 'form',
      _meta: { codex_approval_kind: 'mcp_tool_call', persist: ['session'] },
      message: 'Allow the asker MCP server to run tool "danger"?',
      requestedSchema: { type: 'object', properties: {} },
    }
    const question = elicitation.ask!(params as never, facts({ toolCalls: [call as never] }))
    expect(question).toMatchObject({ kind: 'mcp-tool' })
    takes(question, ['once', 'session', 'deny'], ['always', { content: {} }])
  })

  it('for a question that codex does not wait for', () => {
    const item = { type: 'agentMessage', id: 'item', delivery: 'async', questions: [{ title: 'Name?' }] }
    const question = asyncQuestion(item, { threadId: 'thread', turnId: 'turn' })!
    takes(
      question,
      ['deny', { answers: { q1: ['Bob'] } }],
      ['once', { answers: {} }, { answers: { q2: ['x'] } }],
    )
  })

  it('for a request that nobody is asked, never', () => {
    takes({ ...commandQuestion(), method: 'item/tool/call' }, [], ['once', { result: {} }])
  })
})
