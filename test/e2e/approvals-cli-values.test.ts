// What the model or an MCP server wants to know, typed into a real terminal.
import { describe, expect, it } from 'vitest'
import {
  functionCall,
  lastUserText,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import { MCP, mcpServer } from '../support/mcp-server.ts'

const options = [
  { label: 'Yes', description: 'go' },
  { label: 'No', description: 'stay' },
]

async function userInput(questions: readonly object[]) {
  const asks = functionCall('request_user_input', { questions })
  const stage = await cliStage([[asks], [message('fine')]], {
    config: { 'features.default_mode_request_user_input': true },
  })
  return { run: stage.inTerminal(['run', 'go']), told: () => toolOutputs(stage.model.requests[1]!)[0]?.text }
}

describe('questions of the model', () => {
  it('are answered by an option or in own words, one after the other', async () => {
    const { run, told } = await userInput([
      { id: 'go', header: 'Go', question: 'Shall we?', options },
      { id: 'how', header: 'How', question: 'How fast?', options },
    ])
    await run.shows('1 of 2: Go: Shall we?\n  1  Yes: go\n  2  No: stay\n')
    await run.shows('a number from 1 to 2, or your own words')
    run.type('2\r')
    await run.shows('2 of 2: How: How fast?')
    await run.shows('› ')
    run.type('as fasd\u007ft as you can\r')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toContain('✓ answered: Shall we? (and 1 more) · by you')
    expect(JSON.parse(told()!)).toEqual({
      answers: { go: { answers: ['No'] }, how: { answers: ['as fast as you can'] } },
    })
  })

  it('that are secret are typed without being shown, then or later', async () => {
    const { run, told } = await userInput([
      { id: 'token', header: 'Token', question: 'Which token?', isSecret: true, is_secret: true, options },
    ])
    await run.shows('typed without being shown')
    await run.shows('› ')
    run.type('hunter2\r')
    expect(await run.ended()).toMatchObject({ code: 0 })
    expect(run.raw).not.toContain('hunter')
    expect(told()).toContain('hunter2')
  })

  it('are declined with Esc', async () => {
    const { run, told } = await userInput([{ id: 'go', header: 'Go', question: 'Shall we?', options }])
    await run.shows('› ')
    run.type('\u001b')
    expect(await run.ended()).toMatchObject({
      code: 3,
      screen: expect.stringContaining('✋ declined: Shall we?'),
    })
    expect(JSON.parse(told()!)).toEqual({ answers: {} })
  })
})

async function mcp(tool: string, args: object) {
  const server = mcpServer()
  const call = functionCall(tool, args, { namespace: MCP })
  const stage = await cliStage([[call], [message('fine')]], { toml: server.toml })
  const told = () => toolOutputs(stage.model.requests[1]!)[0]?.text ?? ''
  return { run: stage.inTerminal(['run', 'go']), runs: server.runs, told }
}

describe('a question the model does not wait for', () => {
  const asks = functionCall(
    'request_user_input_async',
    { questions: [{ title: 'Which colour?', options: ['Red', 'Green'] }, { title: 'What name?' }] },
    { namespace: 'functions' },
  )
  const stageWith = (second: Reply) =>
    cliStage([[asks], second, [message('so it is')]], { modelName: 'gpt-6-sol' })

  it('is answered after its turn, and the answer runs as the next', async () => {
    const { inTerminal, model } = await stageWith([message('working on it')])
    const run = inTerminal(['run', 'go'])
    await run.shows('working on it')
    await run.shows('1 of 2: Which colour?')
    await run.shows('› ')
    run.type('2\r')
    await run.shows('2 of 2: What name?')
    run.type('Bob\r')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toContain('✓ answered: Which colour? (and 1 more) · by you')
    expect(screen).toContain('\nso it is\n')
    expect(lastUserText(model.requests[2]!)).toBe('> Which colour?\nGreen\n\n> What name?\nBob')
  })

  it('is answered while its turn runs, and the answer goes into it', async () => {
    const { inTerminal, model } = await stageWith([shell('sleep 4'), shell('echo ran')])
    const run = inTerminal(['run', 'go'])
    await run.shows('$ sleep 4')
    await run.shows('› ')
    run.type('Blue\r')
    await run.shows('2 of 2')
    run.type('\r')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toContain('\nso it is\n')
    expect(model.requests).toHaveLength(3)
    expect(lastUserText(model.requests[2]!)).toBe('> Which colour?\nBlue\n\n> What name?\n(no answer)')
  })

  it('declined sends nothing: the turn was all, exit code 3', async () => {
    const { inTerminal, model } = await stageWith([message('working on it')])
    const run = inTerminal(['run', 'go'])
    await run.shows('working on it')
    await run.shows('› ')
    run.type('\u001b')
    const { code, screen } = await run.ended()
    expect(code).toBe(3)
    expect(screen).toContain('✋ declined: Which colour?')
    expect(model.requests).toHaveLength(2)
  })

  it('that nobody is there to answer is declined; the answer stays the answer', async () => {
    const { piped } = await stageWith([message('working on it')])
    const { code, stdout, stderr } = await piped('run', 'go')
    expect(code).toBe(3)
    expect(stdout).toContain('working on it')
    expect(stderr).toContain('✋ declined: Which colour? (and 1 more) · nobody is there to answer')
  })

  it('is left behind with Ctrl-C', async () => {
    const { inTerminal } = await stageWith([message('working on it')])
    const run = inTerminal(['run', 'go'])
    await run.shows('working on it')
    await run.shows('› ')
    run.type('\u0003')
    expect(await run.ended()).toMatchObject({ code: 130 })
  })
})

describe('permissions', () => {
  const permissions = { file_system: { write: ['a', 'b'] }, network: { enabled: true } }
  const request = functionCall('request_permissions', { reason: 'to show', permissions })
  const stageIt = () =>
    cliStage([[request], [message('fine')]], { config: { 'features.request_permissions_tool': true } })

  it('are granted in part, for as long as was said', async () => {
    const { inTerminal, model, cwd } = await stageIt()
    const run = inTerminal(['run', 'go'])
    await run.shows('[p] choose each')
    run.type('p')
    await run.shows('the network, all of it?  [y] yes  [n] no')
    run.type('n')
    await run.shows(`write ${cwd}/a?`)
    run.type('y')
    await run.shows(`write ${cwd}/b?`)
    run.type('n')
    await run.shows('for how long?')
    run.type('s')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toContain('✓ granted for this task')
    const told = JSON.parse(toolOutputs(model.requests[1]!)[0]!.text)
    expect(told).toMatchObject({
      permissions: { network: null, file_system: { write: [`${cwd}/a`] } },
      scope: 'session',
    })
    expect(JSON.stringify(told)).not.toContain(`${cwd}/b`)
  })

  it('of which none is chosen are denied', async () => {
    const { inTerminal, model } = await stageIt()
    const run = inTerminal(['run', 'go'])
    await run.shows('[p] choose each')
    run.type('pnnn')
    expect(await run.ended()).toMatchObject({ code: 3 })
    expect(JSON.parse(toolOutputs(model.requests[1]!)[0]!.text)).toMatchObject({
      permissions: { network: null, file_system: null },
    })
  })
})

describe('an MCP server', () => {
  const properties = {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', minimum: 1 },
    agree: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    sizes: { type: 'array', items: { type: 'string', enum: ['S', 'M', 'L'] } },
    note: { type: 'string', description: 'what else' },
  }
  const form = { requestedSchema: { type: 'object', properties, required: ['name', 'colour'] } }

  it('has its form filled in, field by field, each by its type', async () => {
    const { run, told } = await mcp('form', form)
    const field = async (shown: string, typed: string) => {
      await run.shows(shown)
      await run.shows('› ')
      run.type(typed)
    }
    await field('1 of 6: colour (required)\n  1  Red\n  2  Green\n', '2\r')
    await field('2 of 6: Your name (required)', 'A\r')
    await field('at least 2 characters', 'nna\r')
    await field('3 of 6: age\n', 'old\r')
    await field('a number is wanted', '\u001542\r')
    await field('4 of 6: agree\n', '\r')
    await field('5 of 6: note\n  what else\n', '\r')
    await field('6 of 6: sizes\n  1  S\n', '1,3\r')
    expect(await run.ended()).toMatchObject({
      code: 0,
      screen: expect.stringContaining('✓ answered: asker: Which one?'),
    })
    const content = { colour: 'g', name: 'Anna', age: 42, agree: true, sizes: ['S', 'L'] }
    expect(told()).toContain(JSON.stringify({ action: 'accept', content }))
  })

  it('hears a no when a required field is left empty', async () => {
    const { run, told } = await mcp('form', form)
    await run.shows('empty declines')
    await run.shows('› ')
    run.type('\r')
    expect(await run.ended()).toMatchObject({ code: 3 })
    expect(told()).toContain('decline')
  })

  it('has its page shown and never opened, and hears whether it was visited', async () => {
    const { run, told } = await mcp('page', { url: 'https://example.com/agree' })
    await run.shows('? The MCP server asker asks: Please visit\n  https://example.com/agree\n')
    await run.shows('[o] yes, I visited it')
    run.type('o')
    expect(await run.ended()).toMatchObject({ code: 0 })
    expect(told()).toContain('accept')
  })

  it('has its tool run when it is approved', async () => {
    const { run, runs } = await mcp('danger', { deep: { n: 1 } })
    await run.shows('? Allow the asker MCP server to run tool "danger"?')
    await run.shows('writes it down')
    await run.shows('"n": 1')
    await run.shows('[o] once  [s] session  [a] always')
    run.type('o')
    expect(await run.ended()).toMatchObject({ code: 0 })
    expect(runs()).toBe(1)
  })
})
