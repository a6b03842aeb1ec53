// A terminal whose questions codex takes back, or that is busy with other things while it waits.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Action, type FakeScript, fake, fakeCodex } from '../../src/testing/index.ts'
import { runInTerminal, type TerminalRun } from '../support/run-in-terminal.ts'
import { FASTER_NODE } from './processes.ts'

const [reply, started, active, ...rest] = fake.completedTurn('in the\nend')
const place = { threadId: '$threadId', turnId: '$turnId' }
const ask = (id: number, command: string) =>
  fake.request('item/commandExecution/requestApproval', { ...place, itemId: `${id}`, command }, id)
const withdraw = (requestId: number) =>
  fake.notify('serverRequest/resolved', { threadId: '$threadId', requestId })
const say = (delta: string) => fake.notify('item/agentMessage/delta', { ...place, itemId: 'said', delta })

async function runFake(actions: readonly Action[], options: Parameters<typeof runInTerminal>[1] = {}) {
  const script: FakeScript = {
    steps: [
      fake.on('turn/start', reply!, started!, active!, ...actions),
      fake.on('turn/interrupt', fake.noReply()),
    ],
  }
  const program = await fakeCodex(script)
  const home = mkdtempSync(path.join(tmpdir(), 'faults-'))
  onTestFinished(async () => {
    await program.remove()
    rmSync(home, { recursive: true, force: true })
  })
  const env = { ...FASTER_NODE, DRAWBRIDGE_HOME: home }
  return { program, run: runInTerminal(['run', '--codex', program.path, 'go'], { ...options, env }) }
}

async function answer(run: TerminalRun, key: string): Promise<void> {
  await run.shows('[?] what these do')
  run.type(key)
}

describe('a question that waits', () => {
  it('stays below what is said meanwhile', async () => {
    const { run } = await runFake([
      ask(1, 'first'),
      ask(2, 'second'),
      fake.waitForAnswer(1),
      // Whole words only: what might be the beginning of a secret is held back.
      ...['be', 'fore\nthe', ' an', 'swer\nmore '].map(say),
      fake.waitForAnswer(2),
      say('to come\n'),
      ...rest,
    ])
    await answer(run, 'o')
    await run.shows('$ second')
    await run.shows('swer\nmore')
    await run.shows('[?] what these do')
    expect(run.screen).toMatch(
      /before\nthe answer\nmore ?\n\? Codex asks to run a command\n.*\$ second\n {2}\[o] [^\n]*$/s,
    )
    run.type('o')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toMatch(/the answer\nmore ?\n✓ allowed once: run second · by you\nto come\n/)
  })

  it('disappears when codex takes it back, with a word why, and the next one comes up', async () => {
    const { run, program } = await runFake([
      ...[ask(1, 'first'), ask(2, 'second'), ask(3, 'third'), ask(4, 'fourth')],
      fake.waitForAnswer(1),
      ...[withdraw(3), withdraw(2), fake.waitForAnswer(4)],
      ...rest,
    ])
    await run.shows('3 more to answer after this')
    await answer(run, 's')
    await run.shows('↩ withdrawn: run third: another client of codex answered it')
    await run.shows('↩ withdrawn: run second: another client of codex answered it')
    await run.shows('$ fourth')
    await answer(run, 'd')
    const { code, screen } = await run.ended()
    expect(code).toBe(3)
    expect(screen).not.toContain('Codex asks')
    const answers = program.received().filter(({ result }) => result !== undefined)
    expect(answers).toMatchObject([
      { id: 1, result: { decision: 'acceptForSession' } },
      { id: 3, result: { decision: 'decline' } },
      { id: 2, result: { decision: 'decline' } },
      { id: 4, result: { decision: 'decline' } },
    ])
  })

  it('disappears when codex dies, and the terminal is left as it was', async () => {
    const { run } = await runFake(
      [ask(1, 'first'), ask(2, 'second'), fake.waitForAnswer(1), fake.exit(101)],
      { afterwards: 'stty -a' },
    )
    await answer(run, 'o')
    const { code, screen } = await run.ended()
    expect(code).toBe(1)
    expect(screen).toContain('↩ withdrawn: run second: codex exited with code 101')
    expect(screen).not.toContain('Codex asks')
    expect(screen).toMatch(/ icanon .* echo /s)
  })

  it('leaves at once with a second Ctrl-C, when codex does not react to the first', async () => {
    const { run } = await runFake([ask(1, 'first')], { afterwards: 'stty -a' })
    await answer(run, '\u0003')
    await run.shows(/thinking|starting/) // the question is gone
    run.type('\u0003')
    const { code, screen } = await run.ended()
    expect(code).toBe(130)
    expect(screen).toMatch(/ icanon .* echo /s)
  })
})
