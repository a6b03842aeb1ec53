// What a start loads. Time is measured by `npm run bench:cli`; what takes the time is held here.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'

const LAUNCHER = 'bin/drawbridge'
/** The command line with all that describes it. */
const PROGRAM = [LAUNCHER, 'dist/cli/main.cjs', 'dist/cli/rolldown-runtime.cjs']
/** Of Node's own modules, those that take milliseconds to load. */
const SLOW = ['sqlite', 'child_process', 'readline', 'http', 'https', 'crypto', 'internal/deps/undici/undici']

function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-cost-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs it with this Node and tells which files of ours and of packages it loaded, and which slow modules of Node's. */
function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const report = path.join(scratch(), 'loaded.json')
  const end = spawnSync(
    process.execPath,
    ['--require', path.resolve('test/fixtures/loaded-modules.cjs'), ...args],
    {
      env: { ...process.env, ...env, LOADED_MODULES: report },
      encoding: 'utf8',
      timeout: 20_000,
    },
  )
  expect(end).toMatchObject({ status: 0, stderr: '' })
  const { files, builtins } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, string[]>
  return {
    files: files!.map((file) => path.relative('.', file)).filter((file) => !file.startsWith('test')),
    slow: SLOW.filter((name) => builtins!.includes(`NativeModule ${name}`)),
  }
}

describe('a command line', () => {
  it.each([
    [['--version']],
    [['--help']],
    [['task', 'start', '--help']],
    [['workers', '--help']],
    [['config', 'import', '--help']],
    [['help', 'run']],
    [['completion', 'bash']],
    [['__complete', '--', 'ta']],
    [['__complete', '--', 'run', '--sandbox', '']],
  ])('that only describes loads the description and no more: %j', (words) => {
    const { files, slow } = loadedBy([LAUNCHER, ...words])
    expect(files.toSorted()).toEqual(PROGRAM.toSorted())
    expect(slow).toEqual([])
  })

  it('that asks the service loads the client and no packages', async () => {
    const env = { DRAWBRIDGE_HOME: scratch() }
    await serving(env)
    const { files, slow } = loadedBy([LAUNCHER, 'task', 'list', '--json'], env)
    expect(files.filter((file) => file.includes('node_modules'))).toEqual([])
    expect(slow).not.toContain('internal/deps/undici/undici')
    expect(slow).not.toContain('child_process')
  })
})

describe('settings and trust', () => {
  it('load no parser of other applications', () => {
    const { files } = loadedBy([LAUNCHER, 'trust', 'list', '--json'], { DRAWBRIDGE_HOME: scratch() })
    expect(
      files.filter((file) => /node_modules[/](?:yaml|jsonc-parser|toml-eslint-parser)[/]/.test(file)),
    ).toEqual([])
  })
})

async function serving(env: Readonly<Record<string, string>>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await once(createInterface({ input: child.stdout! }), 'line')
}

describe('the library', () => {
  const importing = (name: string) => loadedBy(['--input-type=module', '-e', `import '${name}'`])

  it('is one file, without packages', () => {
    expect(importing('codex-drawbridge').files).toEqual(['dist/codex/index.js'])
  })

  it('loads no WebSocket before a socket is opened', () => {
    const { files } = importing('codex-drawbridge/hosts')
    expect(files).toContain('dist/hosts/index.js')
    expect(files.filter((file) => file.includes('node_modules'))).toEqual([])
  })
})

describe('a store in a file', () => {
  it('loads neither pg nor pg-boss, and its queue is timers', () => {
    const program = `
      import { openQueue } from './src/store/index.ts'
      const queue = await openQueue({ url: null, now: Date.now, onError: console.error })
      await queue.every('prune', { everyMs: 1000 }, async () => {})
      await queue.stop({ deadlineMs: 0 })`
    const { files } = loadedBy(['--input-type=module', '-e', program])
    expect(files).toContain('src/store/queue/in-process-queue.ts')
    expect(files.filter((file) => /node_modules[/]pg|pg-boss/.test(file))).toEqual([])
  })
})

describe('compiled code', () => {
  const version = (env: Readonly<Record<string, string | undefined>>) => {
    const plain = { ...process.env, NODE_COMPILE_CACHE: undefined, ...env }
    return spawnSync(process.execPath, [LAUNCHER, '--version'], {
      env: plain,
      encoding: 'utf8',
      timeout: 20_000,
    })
  }
  const fine = { status: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) }

  it('is kept in a folder that only its owner can write to', () => {
    const cache = scratch()
    expect(version({ XDG_CACHE_HOME: cache })).toMatchObject(fine)
    expect(readdirSync(path.join(cache, 'drawbridge/compiled'))).toHaveLength(1)
  })

  it('is not kept where others can write', () => {
    const cache = scratch()
    const compiled = path.join(cache, 'drawbridge/compiled')
    mkdirSync(compiled, { recursive: true })
    chmodSync(compiled, 0o777)
    expect(version({ XDG_CACHE_HOME: cache })).toMatchObject(fine)
    expect(readdirSync(compiled)).toEqual([])
  })

  it('is done without where there is no place for it', () => {
    const cache = scratch()
    writeFileSync(path.join(cache, 'drawbridge'), 'a file in its place')
    expect(version({ XDG_CACHE_HOME: cache })).toMatchObject(fine)
    expect(version({ XDG_CACHE_HOME: undefined, HOME: undefined })).toMatchObject(fine)
  })
})
