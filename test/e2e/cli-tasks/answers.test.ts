// Answers that must not be given by mistake, and what people are told before and after they give one.
import { describe, expect, it } from 'vitest'
import type { Approval, AuditEntry } from '../../../src/api/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

const colour = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  options: [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: 'cool' },
  ],
}

const size = { ...colour, id: 'size', header: 'Size', question: 'Which size?' }

/** Asks for a colour and repeats it, or wants to make the file that the prompt names. */
function script(request: ModelRequest) {
  const [told] = toolOutputs(request)
  if (told) return message(told.text)
  const text = lastUserText(request)
  if (text === 'ask more') return functionCall('request_user_input', { questions: [colour, size] })
  if (text === 'ask me') return functionCall('request_user_input', { questions: [colour] })
  return shell(`touch ${text}`, { escalate: 'it is wanted' })
}

const stage = () => serviceStage(script, { config: { 'features.default_mode_request_user_input': true } })

describe('the only open question', () => {
  it('is not answered by too little of an id', async () => {
    const { start, cli, json, question } = await stage()
    await start('made')
    const { id } = await question()
    for (const given of ['', '0', id.slice(0, 3), id.slice(-3)])
      for (const command of [['approve'], ['deny'], ['answer', '--value', 'x']])
        expect(await cli([...command, '--', given])).toMatchObject({
          code: 2,
          stderr: `drawbridge: '${given}': give at least 4 characters of the id\n`,
        })
    expect(await json<Approval[]>('approvals')).toMatchObject([{ id, status: 'pending' }])
    expect(await json<AuditEntry[]>('audit')).toEqual([])
  })

  it('tells what each word would do; several do so when asked', async () => {
    const { start, cli, question } = await stage()
    const first = await start('made', '--title', 'The first')
    await question()
    const { stdout } = await cli(['approvals'])
    expect(stdout).toMatch(/ {2}once +Runs now, once\. .*\(this one time\)\n/)
    expect(stdout).toMatch(
      / {2}always +.* the standing rule "allow .*touch made" .*\(for good, in every task\)\n/,
    )
    expect(stdout).toMatch(/ {2}deny --cancel +.*the turn ends/)
    expect(stdout).toMatch(new RegExp(`  asked \\d+s ago by task ${first.id.slice(-8)} "The first"\n`))

    const second = await start('other')
    await cli(['task', 'wait', second.id])
    const both = await cli(['approvals'])
    expect(both.stdout).not.toContain('(this one time)')
    expect(both.stderr).toBe('What each word would do: drawbridge approvals --explain\n')
    expect((await cli(['approvals', '--explain'])).stdout.match(/\(for good, in every task\)/g)).toHaveLength(
      2,
    )
  })
})

describe('a question for values', () => {
  it('is answered only under its own name, which every hint gives', async () => {
    const { start, cli, json, question } = await stage()
    const { id } = await start('ask me')
    const short = (await question()).id.slice(-8)
    const how = `drawbridge answer ${short} --value colour=…`
    expect((await cli(['approvals'])).stdout).toContain(`  ${how}   or   drawbridge deny ${short}\n`)
    expect((await cli(['task', 'show', id])).stdout).toContain(`answer with: ${how}`)
    expect((await cli(['task', 'wait', id])).stderr).toBe(
      `waiting: Which colour?\n→ ${how}   or   drawbridge deny ${short}\n`,
    )
    expect(await cli(['approve', short])).toMatchObject({
      code: 2,
      stderr: `drawbridge: this asks for values: ${how}\n`,
    })
    expect(await cli(['answer', short, '--value', 'name=red'])).toMatchObject({
      code: 2,
      stderr: 'drawbridge: --value name=red: write name=value; the name is colour\n',
    })
    expect(await cli(['answer', short, '--value', 'colour=a=b', '--why', 'it is so'])).toMatchObject({
      code: 0,
      stderr: 'Answered: Which colour?\n',
    })
    expect(await json('task', 'wait', id)).toMatchObject({
      result: { text: expect.stringContaining('"a=b"') },
    })
    expect((await cli(['task', 'logs', id])).stdout).toMatch(
      /✓ answered: Which colour\? · by api:cli:\S+ \(it is so\)\n/,
    )
  })
})

describe('a question for several values', () => {
  it('is answered when each is given, or left out on purpose', async () => {
    const { start, cli, json, question } = await stage()
    const { id } = await start('ask more')
    const short = (await question()).id.slice(-8)
    expect(await cli(['answer', short, '--value', 'colour=Red'])).toMatchObject({
      code: 2,
      stderr:
        'drawbridge: "size" has no value: add --value size=…; to leave it out on purpose: --skip size\n',
    })
    expect(await json<Approval[]>('approvals')).toMatchObject([{ status: 'pending' }])
    expect(await cli(['answer', short, '--value', 'colour=Red', '--skip', 'size'])).toMatchObject({ code: 0 })
    const { result } = await json('task', 'wait', id)
    expect(JSON.parse(result!.text)).toEqual({ answers: { colour: { answers: ['Red'] } } })
    expect((await cli(['answer', short, '--value', 'size=Blue'])).stderr).toMatch(
      /^drawbridge: too late: it was answered by api:cli:\S+\n$/,
    )
  })
})

describe('an answer that comes too late', () => {
  it('is told why the question no longer stands', async () => {
    const { start, cli, question } = await stage()
    const task = await start('made')
    const { id } = await question()
    await cli(['task', 'interrupt', task.id])
    expect(await cli(['approve', id])).toMatchObject({
      code: 1,
      stderr: 'drawbridge: too late: it was withdrawn: its turn has ended\n',
    })
  })
})

describe('audit', () => {
  it('lists what was decided, newest first: the answer, by whom or which rule, and why', async () => {
    const { start, cli, json, question } = await stage()
    const first = await start('made')
    expect(await cli(['approve', (await question()).id, 'session', '--why', 'sure'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Allowed for this task: run .*touch made/),
    })
    await cli(['task', 'wait', first.id])
    const second = await start('ruled', '--rule', 'deny command touch')
    await cli(['task', 'wait', second.id])

    const { stdout } = await cli(['audit'])
    const [head, ruled, why, ours, sure] = stdout.split('\n')
    expect(head).toMatch(/^WHEN +TASK +ANSWER +BY +WHAT$/)
    expect(ruled).toMatch(
      new RegExp(`^(\\S+ )?\\d\\d:\\d\\d  ${second.id.slice(-8)}  declined +a rule +run .*touch`),
    )
    expect(why).toMatch(/^ +why: .*deny command touch/)
    expect(ours).toMatch(new RegExp(`  ${first.id.slice(-8)}  allowed for this task  api:cli:\\S+ +run `))
    expect(sure).toMatch(/^ +why: sure$/)

    expect(await json<AuditEntry[]>('audit', '--task', first.id.slice(-8))).toMatchObject([
      { taskId: first.id, answer: 'session', by: 'person', why: 'sure' },
    ])
    const page = await cli(['audit', '--limit', '1'])
    const [, cursor] = /^There are more: add --cursor (\S+)\n$/.exec(page.stderr)!
    expect(await json<AuditEntry[]>('audit', '--cursor', cursor!)).toMatchObject([{ taskId: first.id }])
    expect(await cli(['audit', '--limit', 'x'])).toMatchObject({ code: 2 })
  })
})
