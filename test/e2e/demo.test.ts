// The demo at the command line: the real codex on the demo model, in a sample that is made for it.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../src/testing/index.ts'
import { processesTagged, TAG_VARIABLE } from '../faults/processes.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { jsonLines, runCli } from '../support/run-cli.ts'
import { runInTerminal } from '../support/run-in-terminal.ts'

/** An empty home, as of somebody who has just arrived. */
async function surroundings() {
  const made = await makeWorkspace()
  onTestFinished(() => made.remove())
  const [data, home, tag] = [path.join(made.path, 'data'), path.join(made.path, 'home'), randomUUID()]
  mkdirSync(home)
  const env = {
    HOME: home,
    XDG_CACHE_HOME: '',
    CODEX_HOME: '',
    DRAWBRIDGE_HOME: data,
    DRAWBRIDGE_CODEX: path.resolve(bundledCodex()),
    // A proxy must not come between codex and a model on loopback.
    HTTP_PROXY: 'http://127.0.0.1:9',
    [TAG_VARIABLE]: tag,
  }
  const expectNothingLeft = () => {
    expect(readdirSync(data)).toEqual(['app-servers'])
    expect(readdirSync(path.join(data, 'app-servers'))).toEqual([])
    expect(readdirSync(path.join(home, '.cache/drawbridge/demo'))).toEqual([])
    expect(existsSync(path.join(home, '.codex'))).toBe(false)
    expect(processesTagged(tag)).toEqual([])
  }
  return { env, expectNothingLeft, folder: made.path }
}

const whichOf = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()

/** A PATH with these programs only. */
function pathWith(folder: string, ...names: string[]): string {
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  for (const name of names) symlinkSync(whichOf(name), path.join(bin, name))
  return bin
}

describe('drawbridge demo', () => {
  it('plans, shows a failing test, fixes and commits it, answers truly, and leaves nothing behind', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['demo', '--yes'], { env })
    expect(end).toMatchObject({ code: 0, stderr: '' })
    const order = [
      'Plan:\n  1. Look at the project\n',
      '$ node toll.test.js\n  ✔ a cart pays two pence for each wheel\n  ✖ a farmer pays half: wanted 4, got -392\n  exit 1',
      '✓ allowed once: change toll.js · by --yes\n± update toll.js +1 −1\n',
      '$ node toll.test.js\n  ✔ a cart pays two pence for each wheel\n  ✔ a farmer pays half\n  exit 0',
      '✓ allowed once: run git commit',
      '  [main ',
      '▸ all 5 steps are done\n',
      'The test “a farmer pays half” failed: it wanted 4 and got -392.',
    ].map((text) => end.stdout.indexOf(text))
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    const [, hash] = /^ {2}\[main ([0-9a-f]+)\]/m.exec(end.stdout)!
    expect(end.stdout.replaceAll('\n', ' ')).toContain(`It is committed as \`${hash}\`.`)
    expect(end.stdout).toMatch(/drawbridge open .*\n.*drawbridge login /)
    expect(end.stdout).not.toMatch(/^!|warning|metadata/im)
    expectNothingLeft()
  })

  it('changes nothing where nobody can answer, and says so', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['demo', 'what does this folder do?'], { env })
    expect(end).toMatchObject({ code: 0, stderr: '' })
    const flat = end.stdout.replaceAll('\n', ' ')
    expect(flat).toContain('You asked: “what does this folder do?”  This folder is `toll`. What a cart pays')
    expect(flat).toContain(
      'I did not change it, because the answer was no: “a farmer pays half” still fails.',
    )
    expect(end.stdout).toContain('✋ declined: change toll.js · nobody is there to answer')
    expect(end.stdout).not.toContain('$ git commit')
    expectNothingLeft()
  })

  it('asks whoever is at the terminal, and takes a no for the commit', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const run = runInTerminal(['demo'], { env })
    await run.shows('+  return 2 * wheels * (1 - discount / 100)')
    await run.shows('[o] once')
    run.type('o')
    await run.shows('why: Keep the fix?')
    await run.shows('[d] deny')
    run.type('d')
    const end = await run.ended()
    expect(end.code).toBe(0)
    expect(end.screen).toContain('It is not recorded, because the answer was no')
    expectNothingLeft()
  })

  it('needs neither node nor git on the PATH', async () => {
    const { env, folder } = await surroundings()
    const end = await runCli(['demo', '--yes'], { env: { ...env, PATH: pathWith(folder, 'ls', 'cat') } })
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(end.stdout).toContain('  ✔ a farmer pays half\n  exit 0')
    expect(end.stdout.replaceAll('\n', ' ')).toContain('Both tests pass now. It is noted in `CHANGES.md`.')
  })

  it('cleans up when it is interrupted in the middle', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['demo'], {
      env,
      whileRunning: async (child) => {
        let shown = ''
        child.stdout!.on('data', (text) => {
          shown += text
        })
        while (!shown.includes('Plan:')) await once(child.stdout!, 'data')
        child.kill('SIGINT')
      },
    })
    expect(end.code).toBe(130)
    expectNothingLeft()
  })

  it('ends with 5, and nothing left, when there is no codex', async () => {
    const { env } = await surroundings()
    const end = await runCli(['demo'], { env: { ...env, DRAWBRIDGE_CODEX: '/no/such/codex' } })
    expect(end.code).toBe(5)
    expect(end.stdout).toContain('npm install -g @openai/codex')
    expect(readdirSync(env.DRAWBRIDGE_HOME)).toEqual([])
  })
})

describe('drawbridge run --demo', () => {
  it('is a run like any other: events for programs, none of them a warning, and the answer', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['run', '--demo', '--json', '--yes', 'write a poem'], { env })
    expect(end).toMatchObject({ code: 0, stderr: '' })
    const lines = jsonLines(end.stdout)
    const ofThread = lines.filter(({ params }) => Object(params).threadId !== undefined)
    expect(ofThread.length).toBeGreaterThan(20)
    expect(ofThread.filter(({ method }) => /warning|deprecat/i.test(String(method)))).toEqual([])
    // What remains is about this machine, and is said before any thread.
    const warnings = lines.filter(({ method }) => /warning|deprecat/i.test(String(method)))
    expect(warnings.filter(({ params }) => !/bubblewrap/.test(JSON.stringify(params)))).toEqual([])
    expect(lines.filter(({ method }) => method === 'turn/plan/updated')).toHaveLength(6)
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      status: 'completed',
      text: expect.stringContaining('You asked: “write a poem”'),
    })
    expectNothingLeft()
  })

  it('is not resumed, and has its own folder, home and model', async () => {
    const { env } = await surroundings()
    const refused = async (...flags: string[]) => runCli(['run', '--demo', ...flags, 'go'], { env })
    expect(await refused('--cwd', '.')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--demo has a folder of its own: leave out --cwd'),
    })
    for (const flag of ['--codex-home', '--model', '--resume'])
      expect(await refused(flag, 'x')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`leave out ${flag}`),
      })
    expect(existsSync(env.DRAWBRIDGE_HOME)).toBe(false)
  })
})
