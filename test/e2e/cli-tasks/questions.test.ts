// Questions of tasks, answered from the command line: by command, and by keys at a terminal.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Approval, StandingRule } from '../../../src/api/index.ts'
import { functionCall, lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Wants to make the file that the prompt names, then says what came of it. */
const maker = (request: Parameters<typeof lastUserText>[0]) =>
  toolOutputs(request).length === 0
    ? shell(`touch ${lastUserText(request)}`, { escalate: 'it is wanted' })
    : message('fine')

describe('an open question', () => {
  it('makes a task wait (exit code 3), is shown whole, and is approved by the end of its id', async () => {
    const { start, cli, json, question, cwd } = await serviceStage(maker)
    const { id } = await start('made')
    expect(await cli(['task', 'wait', id])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^waiting: /),
    })
    const { id: approvalId } = await question()
    const short = approvalId.slice(-8)
    const { stdout } = await cli(['approvals'])
    expect(stdout).toContain('? Codex asks to run a command\n  why: it is wanted\n')
    expect(stdout).toContain('$ touch made\n')
    expect(stdout).toContain(
      `drawbridge approve ${short} [once|session|always]   or   drawbridge deny ${short}`,
    )
    expect((await cli(['task', 'show', id])).stdout).toContain(`answer with: drawbridge approve ${short}`)
    expect(await json<Approval>('approve', short, 'once', '--why', 'sure')).toMatchObject({
      id: approvalId,
      status: 'answered',
      answer: 'once',
      why: 'sure',
    })
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 0, stdout: 'fine\n' })
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
    expect(await cli(['deny', short])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^drawbridge: too late: it was answered with once by /),
    })
    expect(await cli(['approvals'])).toMatchObject({ code: 0, stdout: '', stderr: 'No open questions.\n' })
  })

  it('that is denied leaves the task to go on; whoever waited exits with 3', async () => {
    const { cli, question, cwd } = await serviceStage(maker)
    const waiting = cli(['task', 'start', '--wait', 'made'])
    const { id } = await question()
    expect(await cli(['deny', id, '--why', 'not today'])).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await waiting
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'fine\n' })
    expect(stderr).toContain(`It waits for an answer: drawbridge approve ${id.slice(-8)}`)
    expect(stderr).toMatch(/✋ declined: run .*touch made.* \(not today\)/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })

  it('that is approved always makes a standing rule, which answers the next and can be revoked', async () => {
    const { start, cli, json, question } = await serviceStage(maker)
    const first = await start('made')
    await json('approve', (await question()).id, 'always')
    await json('task', 'wait', first.id)
    const [rule] = await json<StandingRule[]>('rules', 'list')
    expect(rule).toMatchObject({ text: expect.stringContaining('touch made'), revokedAt: null })
    expect((await cli(['rules', 'list'])).stdout).toContain('stands')
    expect(await cli(['rules', 'check', 'touch made'])).toMatchObject({ code: 0 })
    const second = await start('made')
    expect(await json('task', 'wait', second.id)).toMatchObject({ status: 'completed' })
    await json('rules', 'revoke', rule!.id.slice(-8))
    expect(await cli(['rules', 'check', 'touch made'])).toMatchObject({ code: 3 })
    const added = await json<StandingRule>('rules', 'add', 'deny command touch', '--note', 'no touching')
    expect(added).toMatchObject({ note: 'no touching' })
    const third = await start('made')
    expect(await json('task', 'wait', third.id)).toMatchObject({ status: 'completed', openApprovals: 0 })
    expect(await cli(['rules', 'add', 'perhaps touch'])).toMatchObject({ code: 2 })
  })

  it('of the model is answered with values', async () => {
    const ask = functionCall('request_user_input', {
      questions: [
        {
          id: 'colour',
          header: 'Colour',
          question: 'Which colour?',
          options: [
            { label: 'Red', description: 'warm' },
            { label: 'Blue', description: 'cool' },
          ],
        },
      ],
    })
    const { start, cli, json, question } = await serviceStage(
      (request) => (toolOutputs(request).length === 0 ? ask : message(toolOutputs(request)[0]!.text)),
      { config: { 'features.default_mode_request_user_input': true } },
    )
    const { id } = await start('ask me')
    const approval = await question()
    expect((await cli(['approvals'])).stdout).toContain(
      '  colour: Which colour?\n    - Red: warm\n    - Blue: cool\n',
    )
    expect(await cli(['answer', approval.id])).toMatchObject({ code: 2 })
    expect(await cli(['approve', approval.id])).toMatchObject({ code: 2 })
    expect(await cli(['answer', approval.id, '--value', 'colour=Blue'])).toMatchObject({ code: 0 })
    expect(await json('task', 'wait', id)).toMatchObject({
      result: { text: expect.stringContaining('Blue') },
    })

    const second = await start('again')
    const { id: next } = await question()
    const answered = await cli(['answer', next, '--json', '{"answers":{"colour":["Red"]}}'])
    expect(JSON.parse(answered.stdout)).toMatchObject({ status: 'answered' })
    expect(await json('task', 'wait', second.id)).toMatchObject({
      result: { text: expect.stringContaining('Red') },
    })
  })
})

describe('at a terminal', () => {
  it('a task that is waited for asks its questions there', async () => {
    const { inTerminal, cwd } = await serviceStage(maker)
    const run = inTerminal(['task', 'start', '--wait', 'made'])
    await run.shows('[?] what these do')
    expect(run.screen).toContain('? Codex asks to run a command\n  why: it is wanted\n')
    run.type('o')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toMatch(/✓ allowed once: run .*touch made/)
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
  })

  it('a question that is answered elsewhere disappears', async () => {
    const { inTerminal, question, cli } = await serviceStage(maker)
    const run = inTerminal(['task', 'start', '--wait', 'made'])
    await run.shows('[?] what these do')
    await cli(['deny', (await question()).id])
    const { code, screen } = await run.ended()
    expect(code).toBe(3)
    expect(screen).not.toContain('[?] what these do')
  })

  it('approvals -w asks what comes, task after task, until Ctrl-C', async () => {
    const { inTerminal, start, json, cwd } = await serviceStage(maker)
    const first = await start('one', '--title', 'The first')
    const run = inTerminal(['approvals', '-w'])
    await run.shows(`task ${first.id.slice(-8)} "The first"\n? Codex asks to run a command`)
    await run.shows('$ touch one')
    await run.shows('[?] what these do')
    run.type('o')
    await run.shows(/✓ allowed once: run .*touch one.* · by api:cli:\S+ · task \w{8} "The first"/)
    await json('task', 'wait', first.id, '--through')
    const second = await start('two')
    await run.shows('$ touch two')
    await run.shows('[?] what these do')
    run.type('d')
    await run.shows(/✋ declined: run .*touch two.* · by api:cli:\S+ · task \w{8} "two"/)
    expect(await json('task', 'wait', second.id, '--through')).toMatchObject({ status: 'completed' })
    run.type('\u0003')
    expect(await run.ended()).toMatchObject({ code: 130 })
    expect([existsSync(path.join(cwd, 'one')), existsSync(path.join(cwd, 'two'))]).toEqual([true, false])
  })

  it('Ctrl-C interrupts the task that is waited for', async () => {
    const { inTerminal, json } = await serviceStage(maker)
    const run = inTerminal(['task', 'start', '--wait', 'made'])
    await run.shows('[?] what these do')
    run.type('\u0003')
    expect(await run.ended()).toMatchObject({ code: 130 })
    expect(await json('task', 'list', '--status', 'interrupted')).toHaveLength(1)
  })
})
