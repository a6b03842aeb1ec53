// `drawbridge run` in a real terminal, with the real codex: what it asks, which keys answer, and how the screen is left.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { applyPatch, customToolCall, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { cliStage } from '../support/cli-stage.ts'
import type { TerminalRun } from '../support/run-in-terminal.ts'

const touch = (name: string) => shell(`touch ${name}`, { escalate: `to make ${name}` })
const oneCommand = [[touch('made')], [message('fine')]]
const patch = (lines: readonly string[]) =>
  applyPatch(
    ['*** Begin Patch', '*** Add File: made.txt', ...lines.map((line) => `+${line}`), '*** End Patch'].join(
      '\n',
    ),
  )

async function answer(run: TerminalRun, key: string): Promise<void> {
  await run.shows('[?] what these do')
  run.type(key)
}

describe('a command', () => {
  it('is shown with its folder and reason, and runs when it is approved once', async () => {
    const { inTerminal, cwd } = await cliStage(oneCommand)
    const run = inTerminal(['run', 'go'])
    await run.shows('[?] what these do')
    expect(run.screen).toContain(
      [
        '? Codex asks to run a command',
        '  why: to make made',
        `  in: ${cwd}`,
        '  note: a yes gives no network here; --network or `drawbridge trust` does',
        '  $ touch made',
        '  [o] once  [s] session  [d] deny  [c] cancel  [?] what these do',
      ].join('\n'),
    )
    run.type('o')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen).toMatch(
      /\$ touch made\n✓ allowed once: run .*touch made.* \(to make made\) · by you\n {2}exit 0/,
    )
    expect(screen).not.toContain('Codex asks')
    expect(existsSync(path.join(cwd, 'made'))).toBe(true)
  })

  it('is drawn anew, to fit, when the terminal gets another size', async () => {
    const { inTerminal, piped } = await cliStage(oneCommand)
    await piped('trust', '--yes')
    const run = inTerminal(['run', 'go'])
    await run.shows('[?] what these do')
    const before = run.raw.length
    run.resize(30, 40)
    await run.shows(/\[s\] session {2}\[a\] *\n/)
    await run.shows('these do')
    const drawn = stripVTControlCharacters(run.raw.slice(before)).split(/[\r\n]+/)
    expect(drawn.join('').replaceAll(' ', '')).toContain('[o]once[s]session')
    for (const row of drawn) expect(row.length).toBeLessThan(30)
    run.type('d')
    expect(await run.ended()).toMatchObject({ code: 3 })
  })

  it('does not run when it is denied: the turn goes on, exit code 3', async () => {
    const { inTerminal, cwd, model } = await cliStage(oneCommand)
    const run = inTerminal(['run', 'go'])
    await answer(run, 'd')
    const { code, screen } = await run.ended()
    expect(code).toBe(3)
    expect(screen).toMatch(/✋ declined: run .*touch made/)
    expect(screen).toContain('\nfine\n')
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    expect(toolOutputs(model.requests[1]!)[0]?.text).toContain('rejected by user')
  })

  it('is not asked about again when it is approved for the session', async () => {
    const { inTerminal, model } = await cliStage([[touch('made')], [touch('made')], [message('fine')]])
    const run = inTerminal(['run', 'go'])
    await answer(run, 's')
    const { code, screen } = await run.ended()
    expect(code).toBe(0)
    expect(screen.match(/allowed/g)).toEqual(['allowed'])
    expect(screen).toContain('✓ allowed for this task')
    expect(model.requests).toHaveLength(3)
  })

  it("goes into codex's own rules when it is approved always", async () => {
    const { inTerminal, piped, codexHome } = await cliStage(oneCommand)
    // In an untrusted folder it is not offered: there codex's rule would not let the command out of the sandbox.
    await piped('trust', '--yes')
    const run = inTerminal(['run', 'go'])
    await answer(run, 'a')
    expect(await run.ended()).toMatchObject({
      code: 0,
      screen: expect.stringContaining('✓ allowed for good'),
    })
    expect(readFileSync(path.join(codexHome, 'rules', 'default.rules'), 'utf8')).toContain('"touch", "made"')
  })

  it('ends the turn when it is cancelled', async () => {
    const { inTerminal, cwd, model } = await cliStage(oneCommand)
    const run = inTerminal(['run', 'go'])
    await answer(run, 'c')
    const { code, screen } = await run.ended()
    expect(code).toBe(130)
    expect(screen).toMatch(/✋ cancelled: run .*touch made/)
    expect(screen).toContain('\ninterrupted\n')
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    expect(model.requests).toHaveLength(1)
  })

  it('explains with ? what each key does, and for how long', async () => {
    const { inTerminal, piped } = await cliStage(oneCommand)
    await piped('trust', '--yes')
    const run = inTerminal(['run', 'go'])
    await answer(run, 'xyz\r?')
    await run.shows("s  session: Don't ask again for this command in this task. It may leave the sandbox")
    await run.shows('a  always: Don\'t ask again for commands that begin with "touch made"')
    await run.shows('d  deny: ')
    await answer(run, '?')
    await answer(run, 'o')
    expect(await run.ended()).toMatchObject({ code: 0, screen: expect.not.stringContaining('a  always') })
  })

  it('shows what would be hidden on a terminal', async () => {
    const { inTerminal } = await cliStage([
      [shell('echo \u001b]0;rm -rf x\u0007 \u202egnitirw', { escalate: 'a\nb' })],
      [message('fine')],
    ])
    const run = inTerminal(['run', 'go'])
    await run.shows('[?] what these do')
    expect(run.screen).toContain('\\u{1b}]0;rm -rf x\\u{7} \\u{202e}gnitirw')
    expect(run.screen).toContain('  why: a ⏎ b\n')
    expect(run.raw).not.toContain('\u001b]')
    run.type('d')
    await run.ended()
  })
})

describe('a file change', () => {
  it('is shown as a diff, and made when it is approved', async () => {
    const { inTerminal, cwd } = await cliStage([
      [
        applyPatch(
          '*** Begin Patch\n*** Update File: old.txt\n@@\n one\n-two\n+2\n*** Add File: new.txt\n+new\n*** End Patch',
        ),
      ],
      [message('fine')],
    ])
    writeFileSync(path.join(cwd, 'old.txt'), 'one\ntwo\n')
    const run = inTerminal(['run', 'go'], { env: { NO_COLOR: '' } })
    await run.shows('[?] what these do')
    expect(run.text).toContain('Codex asks to change new.txt and 1 more')
    for (const line of ['\u001b[32m  +new', '\u001b[31m  -two', '\u001b[32m  +2'])
      expect(run.raw).toContain(line)
    expect(run.text).not.toContain('[a] always')
    run.type('o')
    expect(await run.ended()).toMatchObject({ code: 0 })
    expect(readFileSync(path.join(cwd, 'old.txt'), 'utf8')).toBe('one\n2\n')
  })

  it('that is too long for the screen is cut with a count, and shown in full with v', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`)
    const { inTerminal, cwd } = await cliStage([[patch(lines)], [message('fine')]])
    const run = inTerminal(['run', 'go'], { rows: 20 })
    await run.shows(/… \d+ more lines; press v to see all/)
    await run.shows('[v] view all')
    expect(run.screen).toContain('+line 5\n')
    expect(run.screen).not.toContain('+line 15\n')
    run.type('v')
    await run.shows('+line 199')
    await answer(run, 'o')
    expect(await run.ended()).toMatchObject({ code: 0 })
    expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe(`${lines.join('\n')}\n`)
  })
})

describe('several questions', () => {
  it('are asked one after the other', async () => {
    const command = (name: string) =>
      `tools.exec_command({cmd: 'touch ${name}', sandbox_permissions: 'require_escalated', justification: 'x'})`
    // Not Promise.all: a denial rejects it, which ends the turn and stops a command that is still running.
    const both = `await Promise.allSettled([${command('a')}, ${command('b')}])`
    const { inTerminal, cwd } = await cliStage(
      [[customToolCall('exec', both, { namespace: 'functions' })], [message('fine')]],
      { modelName: 'gpt-5.6-sol' },
    )
    const run = inTerminal(['run', 'go'])
    await run.shows('1 more to answer after this')
    // The second o comes too early to be meant for the second question.
    await answer(run, 'oo')
    await run.shows('✓ allowed once')
    await answer(run, 'd')
    expect(await run.ended()).toMatchObject({ code: 3 })
    expect(['a', 'b'].filter((name) => existsSync(path.join(cwd, name)))).toHaveLength(1)
  })
})

describe('the terminal', () => {
  const sane = { afterwards: 'stty -a' }

  it.each(['o', 'd'])('is left as it was after %s', async (key) => {
    const { inTerminal } = await cliStage(oneCommand)
    const run = inTerminal(['run', 'go'], sane)
    await answer(run, key)
    expect((await run.ended()).screen).toMatch(/ icanon .* echo /s)
  })

  it('is left as it was by Ctrl-C, which withdraws the question and interrupts', async () => {
    const { inTerminal, cwd } = await cliStage(oneCommand)
    const run = inTerminal(['run', 'go'], sane)
    await answer(run, '\u0003')
    const { code, screen } = await run.ended()
    expect(code).toBe(130)
    expect(screen).toMatch(/↩ withdrawn: run .*touch made.*: its turn has ended\n(.*\n)*interrupted/)
    expect(screen).not.toContain('Codex asks')
    expect(screen).toMatch(/ icanon .* echo /s)
    expect(existsSync(path.join(cwd, 'made'))).toBe(false)
  })

  it('is left as it was when we crash', async () => {
    const { inTerminal } = await cliStage(oneCommand)
    const crash = 'setInterval(()=>{if(process.stdin.isRaw)throw(Error("crashed"))},50).unref()'
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` }
    const { code, screen } = await inTerminal(['run', 'go'], { ...sane, env }).ended()
    expect(code).toBe(1)
    expect(screen).toContain('crashed')
    expect(screen).toMatch(/ icanon .* echo /s)
  })
})
