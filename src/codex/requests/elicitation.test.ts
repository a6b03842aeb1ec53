import { describe, expect, it } from 'vitest'
import type { ServerParams } from '../protocol/index.ts'
import { elicitation } from './elicitation.ts'
import { facts } from './fixtures/facts.ts'
import type { McpToolCall } from './open-items.ts'
import type { Answer } from './question.ts'

type Params = ServerParams<'mcpServer/elicitation/request'>

const from = { threadId: 'thread', turnId: null, serverName: 'asker', _meta: null }
const bad = expect.objectContaining({ code: 'bad-answer' })

function tool(persist?: string[]): Params {
  const message = 'Allow the asker MCP server to run tool "danger"?'
  const _meta = {
    codex_approval_kind: 'mcp_tool_call',
    tool_description: 'harm',
    tool_params: { n: 1 },
    ...(persist && { persist }),
  }
  return { ...from, mode: 'form', _meta, message, requestedSchema: { type: 'object', properties: {} } }
}

function form(required?: string[]): Params {
  const properties = { colour: { type: 'string' as const } }
  const requestedSchema = { type: 'object' as const, properties, ...(required && { required }) }
  return { ...from, mode: 'form', message: 'Which?', requestedSchema }
}

const page: Params = {
  ...from,
  mode: 'url',
  message: 'Visit',
  url: 'https://example.com',
  elicitationId: 'v',
}
const verification: Params = {
  ...from,
  mode: 'openai/userVerification',
  title: 'Is it you?',
  description: 'x',
  challenge: 'y',
}

function call(tool: string, more: Partial<McpToolCall> = {}): McpToolCall {
  const item = {
    type: 'mcpToolCall',
    id: `call ${tool}`,
    server: 'asker',
    tool,
    arguments: { n: 1 },
    ...more,
  }
  return item as McpToolCall
}
const danger = call('danger')

const ask = (params: Params, toolCalls = [danger]) => elicitation.ask!(params, facts({ toolCalls }))
const words = (params: Params) => ask(params).choices.map(({ word }) => word)
const reply = (answer: Answer, params: Params, toolCalls = [danger]) =>
  elicitation.reply!(answer as never, params, facts({ toolCalls }))
const accepted = (content: unknown, _meta: unknown = null) => ({ action: 'accept', content, _meta })

describe('a tool of an MCP server', () => {
  it('is shown with what it would do', () => {
    expect(ask(tool(['session']))).toMatchObject({
      kind: 'mcp-tool',
      threadId: 'thread',
      turnId: null,
      itemId: 'call danger',
      server: 'asker',
      tool: 'danger',
      description: 'harm',
      arguments: { n: 1 },
    })
  })

  it('offers only what codex can remember', () => {
    expect(words(tool(['session', 'always']))).toEqual(['once', 'session', 'always', 'deny'])
    expect(words(tool(['session']))).toEqual(['once', 'session', 'deny'])
    expect(words(tool())).toEqual(['once', 'deny'])
    expect(() => reply('session', tool())).toThrow(bad)
    expect(() => reply('always', tool(['session']))).toThrow(bad)
  })

  it('is answered in codex’s words', () => {
    const both = tool(['session', 'always'])
    expect(reply('once', both)).toEqual(accepted(null))
    expect(reply('session', both)).toEqual(accepted(null, { persist: 'session' }))
    expect(reply('always', both)).toEqual(accepted(null, { persist: 'always' }))
    expect(reply('deny', both)).toEqual({ action: 'decline', content: null, _meta: null })
    expect(() => reply('cancel', both)).toThrow(bad)
    expect(() => reply({ content: {} }, both)).toThrow(bad)
  })
})

describe('which tool it is about', () => {
  const unnamed = { ...tool(), message: 'Allow it?' } as Params

  it('says the call that waits, with its arguments, not what the question claims', () => {
    const other = call('danger', { arguments: { n: 2 } })
    expect(ask(tool(), [other])).toMatchObject({ itemId: other.id, arguments: { n: 2 } })
    const exact = call('danger', { id: 'exact' })
    expect(ask(tool(), [other, exact])).toMatchObject({ itemId: 'exact', arguments: { n: 1 } })
    expect(ask(unnamed, [danger])).toMatchObject({ kind: 'mcp-tool', tool: 'danger', itemId: danger.id })
  })

  it('stays open when several wait and the message names none', () => {
    expect(ask(unnamed, [danger, call('form')])).toMatchObject({
      kind: 'mcp-tool',
      tool: null,
      itemId: null,
      arguments: { n: 1 },
    })
  })

  it('is none when no call of that server and tool waits: then the server itself asks', () => {
    const elsewhere = call('danger', { server: 'other' })
    for (const calls of [[], [elsewhere], [call('form')], [call('form'), call('page')]]) {
      expect(ask(tool(['always']), calls)).toMatchObject({ kind: 'elicitation', itemId: null })
      expect(reply('once', tool(), calls)).toEqual(accepted({}))
      expect(() => reply('always', tool(['always']), calls)).toThrow(bad)
    }
    expect(ask(unnamed, [])).toMatchObject({ kind: 'elicitation' })
  })

  it('offers nothing that codex cannot have said', () => {
    expect(words(tool('always' as never))).toEqual(['once', 'deny'])
  })
})

describe('a form', () => {
  it('is shown with its fields, and can only be agreed to where none is required', () => {
    expect(ask(form(['colour']))).toMatchObject({
      kind: 'elicitation',
      title: 'asker: Which?',
      schema: { required: ['colour'] },
      url: null,
    })
    expect(words(form(['colour']))).toEqual(['deny'])
    expect(words(form())).toEqual(['once', 'deny'])
    expect(reply('once', form())).toEqual(accepted({}))
    expect(() => reply('once', form(['colour']))).toThrow(bad)
    expect(() => reply('session', form())).toThrow(bad)
  })

  it('takes what was given and makes nothing up', () => {
    expect(reply({ content: { colour: 'red' } }, form(['colour']))).toEqual(accepted({ colour: 'red' }))
    expect(reply({ content: { colour: '' } }, form(['colour']))).toEqual(accepted({ colour: '' }))
    expect(reply({ content: {} }, form())).toEqual(accepted({}))
    expect(() => reply({ content: { size: 3 } }, form(['colour', 'shape']))).toThrow(/colour, shape/)
    expect(() => reply({ answers: { colour: ['red'] } }, form(['colour']))).toThrow(bad)
  })

  it('is declined; to cancel it would not end the turn, so that is not offered', () => {
    expect(reply('deny', form(['colour']))).toEqual({ action: 'decline', content: null, _meta: null })
    expect(() => reply('cancel', form(['colour']))).toThrow(bad)
    expect(elicitation.refuse(form(), facts())).toEqual({ action: 'decline', content: null, _meta: null })
  })
})

describe('a page', () => {
  it('is shown with its address, and was visited or not', () => {
    expect(ask(page)).toMatchObject({ kind: 'elicitation', url: 'https://example.com', schema: null })
    expect(words(page)).toEqual(['once', 'deny'])
    expect(reply('once', page)).toEqual(accepted(null))
    expect(() => reply({ content: {} }, page)).toThrow(bad)
  })
})

describe('a verification of the user', () => {
  it('can only be declined', () => {
    expect(ask(verification)).toMatchObject({ title: 'asker: Is it you?', schema: null, url: null })
    expect(words(verification)).toEqual(['deny'])
    expect(() => reply('once', verification)).toThrow(bad)
    expect(() => reply({ content: {} }, verification)).toThrow(bad)
  })
})
