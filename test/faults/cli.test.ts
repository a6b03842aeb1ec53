// `drawbridge run` when codex dies, the user leaves, or there is nothing to run.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  type FakeCodex,
  type FakeScript,
  fake,
  fakeCodex,
  httpError,
  makeCodexHome,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { PROGRAM } from '../support/program.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { jsonLines } from '../support/run-cli.ts'
import { FASTER_NODE, processesTagged, TAG_VARIABLE, within } from './processes.ts'

const RUNNING = [fake.reply(), ...fake.turnStarted(), ...fake.agentMessage('so far')]
const DEADLINE_MS = 15_000

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A place to run the CLI in, with a home of its own. When it is disposed of, nothing may be left running. */
class CliRuns implements AsyncDisposable {
  readonly program: FakeCodex
  readonly #tag = randomUUID()
  readonly #home = mkdtempSync(path.join(tmpdir(), 'faults-'))
  readonly #children: ChildProcess[] = []

  constructor(program: FakeCodex) {
    this.program = program
  }

  start(args: readonly string[], options: { env?: Record<string, string>; shell?: string } = {}) {
    const line = [process.execPath, PROGRAM, ...args]
    const env = {
      ...process.env,
      ...FASTER_NODE,
      NO_COLOR: '1',
      DRAWBRIDGE_HOME: this.#home,
      [TAG_VARIABLE]: this.#tag,
    }
    const [command, ...rest] = options.shell
      ? ['sh', '-c', `${line.map((word) => `'${word}'`).join(' ')} ${options.shell}`]
      : line
    const child = spawn(command!, rest, { env: { ...env, ...options.env } })
    this.#children.push(child)
    return child
  }

  run(args: readonly string[], options: { env?: Record<string, string>; shell?: string } = {}) {
    const child = this.start(['run', '--codex', this.program.path, ...args], options)
    child.stdin.end()
    return ended(child)
  }

  /** Starts a run and sends it a signal as soon as codex has been sent this method. */
  async runAndSignal(args: readonly string[], { after, signal }: { after: string; signal: NodeJS.Signals }) {
    const child = this.start(['run', '--codex', this.program.path, ...args])
    child.stdin.end()
    const end = ended(child)
    await this.program.waitFor((event) => event.event === 'received' && event.message.method === after)
    const signalledAt = performance.now()
    child.kill(signal)
    return { ...(await end), tookMs: performance.now() - signalledAt }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      expect(processesTagged(this.#tag)).toEqual([])
      expect(recordsIn(this.#home)).toEqual([])
    } finally {
      for (const child of this.#children) child.kill('SIGKILL')
      await this.program.remove()
      rmSync(this.#home, { recursive: true, force: true })
    }
  }
}

async function cliRuns(script: FakeScript | readonly FakeScript[] = {}): Promise<CliRuns> {
  return new CliRuns(await fakeCodex(script))
}

describe.concurrent('codex dies in the middle of a turn', () => {
  const script = { steps: [fake.on('turn/start', RUNNING, fake.stderr('panicked\n'), fake.exit(101))] }

  it('exit code 1, what it said so far, and one line that says why', async () => {
    await using cli = await cliRuns(script)
    const { code, stdout, stderr } = await cli.run(['go'])
    expect(code).toBe(1)
    expect(stdout).toBe('so far\n')
    expect(linesWith(stderr, 'codex exited with code 101')).toEqual([
      'failed: codex exited with code 101 [codex-crashed]',
    ])
    expect(stderr).not.toMatch(STACK)
  })

  it('with --json the last line is the result', async () => {
    await using cli = await cliRuns(script)
    const { code, stdout, stderr } = await cli.run(['--json', 'go'])
    expect(code).toBe(1)
    expect(stderr).toBe('')
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      type: 'result',
      status: 'failed',
      text: 'so far',
      error: { code: 'codex-crashed', message: 'codex exited with code 101' },
    })
  })

  it('or before it: exit code 1, one line, and a JSON result', async () => {
    await using cli = await cliRuns({ onStart: [fake.stderr('no config\n'), fake.delay(20), fake.exit(1)] })
    const shown = await cli.run(['go'])
    expect(shown.code).toBe(1)
    expect(linesWith(shown.stderr, 'codex exited with code 1')).toHaveLength(1)
    expect(shown.stderr).not.toMatch(STACK)
    const { stdout } = await cli.run(['--json', 'go'])
    expect(jsonLines(stdout)).toMatchObject([
      { type: 'result', status: 'failed', error: { code: 'transport-closed' } },
    ])
  })
})

describe.concurrent('the user leaves', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s during a turn', async (signal) => {
    await using cli = await cliRuns({ steps: [fake.on('turn/start', RUNNING)] })
    const { code, stderr } = await cli.runAndSignal(['go'], { after: 'turn/start', signal })
    expect(code).toBe(130)
    expect(linesWith(stderr, 'interrupted')).toEqual(['interrupted'])
    expect(stderr).not.toMatch(STACK)
  })

  it.each(['initialize', 'thread/start', 'turn/start'])('while %s waits for its answer', async (after) => {
    await using cli = await cliRuns({ steps: [fake.on(after, fake.noReply())] })
    const { code, stdout, tookMs } = await cli.runAndSignal(['--json', 'go'], { after, signal: 'SIGINT' })
    expect(tookMs).toBeLessThan(5_000)
    expect(code).toBe(130)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: 'result', status: 'interrupted', error: null })
  })

  it('while the prompt is being read from stdin', async () => {
    await using cli = await cliRuns()
    const child = cli.start(['run', '--codex', cli.program.path, '-'])
    const end = ended(child)
    // More than the pipe can hold: once it is written, the CLI is reading.
    await new Promise((resolve) => child.stdin.write('half a prompt '.repeat(100_000), resolve))
    child.kill('SIGINT')
    expect(await end).toMatchObject({ code: 130 })
    expect(cli.program.events()).toEqual([])
  })

  it('by a second SIGINT at once, when codex does not react to the first', async () => {
    await using cli = await cliRuns([
      { steps: [fake.on('turn/start', RUNNING), fake.on('turn/interrupt', fake.noReply())] },
      {},
    ])
    const child = cli.start(['run', '--codex', cli.program.path, 'go'])
    child.stdin.end()
    const end = ended(child)
    const received = (method: string) =>
      cli.program.waitFor((event) => event.event === 'received' && event.message.method === method)
    await once(child.stdout, 'data') // until then there is no turn to interrupt
    child.kill('SIGINT')
    await received('turn/interrupt')
    child.kill('SIGINT')
    expect(await within(2_000, end)).toMatchObject({ code: 130 })
    // The app-server ends because its input does; its record stays for the next start to clear.
    await cli.program.waitFor(({ event }) => event === 'stdinEnded')
    expect(await cli.run(['go'])).toMatchObject({ code: 0 })
  })
})

describe.concurrent('whoever reads the output leaves', () => {
  const deltas = Array.from({ length: 300 }, (_, index) => `line ${index}\n`)
  const turn = fake.completedTurn(deltas.join(''), { deltas })
  const slowly = turn.slice(100, 300).flatMap((action) => [action, fake.delay(10)])
  /** Goes on talking and never comes to an end by itself. */
  const endless = { steps: [fake.on('turn/start', turn.slice(0, 100), slowly)] }

  it.each([[['go']], [['--json', 'go']]])(
    'stdout, as head does: the run is interrupted (%j)',
    async (args) => {
      await using cli = await cliRuns(endless)
      const child = cli.start(['run', '--codex', cli.program.path, ...args])
      child.stdin.end()
      child.stdout.once('data', () => child.stdout.destroy())
      const [stderr, [code]] = await within(
        DEADLINE_MS,
        Promise.all([text(child.stderr), once(child, 'exit')]),
      )
      expect(code).toBe(130)
      expect(stderr).not.toMatch(STACK)
      expect(stderr).not.toContain('EPIPE')
    },
  )

  it('stdout and stderr, as head does after 2>&1: the run is interrupted', async () => {
    await using cli = await cliRuns(endless)
    const child = cli.start(['run', '--codex', cli.program.path, 'go'])
    child.stdin.end()
    child.stdout.once('data', () => {
      child.stdout.destroy()
      child.stderr.destroy()
    })
    const [code] = await within(DEADLINE_MS, once(child, 'exit'))
    expect(code).toBe(130)
  })

  it('stderr only: the answer is still wanted', async () => {
    await using cli = await cliRuns({ steps: [fake.on('turn/start', turn)] })
    const child = cli.start(['run', '--codex', cli.program.path, 'go'])
    child.stdin.end()
    child.stderr.destroy()
    const [stdout, [code]] = await within(DEADLINE_MS, Promise.all([text(child.stdout), once(child, 'exit')]))
    expect(code).toBe(0)
    expect(stdout).toBe(deltas.join(''))
  })

  it('of a shell pipe: the pipe ends', async () => {
    await using cli = await cliRuns(endless)
    const { stdout, stderr } = await cli.run(['go'], { shell: '| head -n 1' })
    expect(stdout).toBe('line 0\n')
    expect(stderr).not.toMatch(STACK)
  })
})

describe.concurrent('a run that cannot go well', () => {
  it('takes too long: 124', async () => {
    await using cli = await cliRuns({ steps: [fake.on('turn/start', RUNNING)] })
    const { code, stdout } = await cli.run(['--timeout', '1', '--json', 'go'])
    expect(code).toBe(124)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      status: 'timed-out',
      text: 'so far',
      error: { code: 'deadline' },
    })
  })

  it.each([
    [['--sandbox', 'anything', 'go']],
    [['--no-such-flag', 'go']],
    [['--timeout', 'soon', 'go']],
    [['--cwd', '/no/such/folder', 'go']],
    [['']],
  ])('is badly asked for: 2 and no codex (%j)', async (args) => {
    await using cli = await cliRuns()
    const { code, stdout, stderr } = await cli.run(args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
    expect(stderr).not.toMatch(STACK)
    expect(cli.program.events()).toEqual([])
  })

  it('has no codex: 5, and it says what to do', async () => {
    await using cli = await cliRuns()
    const child = cli.start(['run', '--json', '--codex', '/no/such/codex', 'go'])
    child.stdin.end()
    const { code, stdout } = await ended(child)
    expect(code).toBe(5)
    expect(jsonLines(stdout)).toMatchObject([{ type: 'result', error: { code: 'codex-not-found' } }])
  })

  it('has a codex that is too old: 5', async () => {
    await using cli = await cliRuns({ version: '0.99.0' })
    const { code, stderr } = await cli.run(['go'])
    expect(code).toBe(5)
    expect(stderr).toContain('0.99.0')
    expect(stderr).not.toMatch(STACK)
  })

  it('asks for what nobody grants: 3', async () => {
    const [reply, ...rest] = fake.completedTurn('then not')
    const ask = fake.request('item/commandExecution/requestApproval', { command: 'rm x' }, 1)
    await using cli = await cliRuns({
      steps: [fake.on('turn/start', reply!, ask, fake.waitForAnswer(1), ...rest)],
    })
    const { code, stdout, stderr } = await cli.run(['go'])
    expect(code).toBe(3)
    expect(stdout).toBe('then not\n')
    expect(stderr).toContain('declined: run rm x')
  })

  it('meets a usage limit: 4 (real codex)', async () => {
    const body = { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached' } }
    await using model = await startScriptedModel([httpError(429, body)], { repeatLast: true })
    await using home = await makeCodexHome(model)
    await using cli = await cliRuns()
    const child = cli.start(['run', '--json', '--codex', bundledCodex(), 'go'], {
      env: { CODEX_HOME: home.path },
    })
    child.stdin.end()
    const { code, stdout } = await ended(child)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ status: 'failed', error: { code: 'usage-limit' } })
    expect(code).toBe(4)
  })
})

const STACK = /^\s+at /m

async function ended(child: ChildProcess): Promise<Ended> {
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await within(
    DEADLINE_MS,
    Promise.all([text(child.stdout!), text(child.stderr!), closed]),
  )
  return { code, stdout, stderr }
}

function linesWith(output: string, words: string): string[] {
  return output.split('\n').filter((line) => line.includes(words))
}

function recordsIn(home: string): string[] {
  try {
    return readdirSync(path.join(home, 'app-servers'))
  } catch {
    return []
  }
}
