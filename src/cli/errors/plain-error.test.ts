import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmdirSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { CodexUnsuitableError } from '../../hosts/index.ts'
import { UsageError } from '../process/usage-error.ts'
import { plainError } from './plain-error.ts'

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

async function refusedListen(port: number, host: string): Promise<unknown> {
  const server = createServer().listen(port, host)
  onTestFinished(() => void server.close())
  return (await once(server, 'error'))[0]
}

async function busyPort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}

describe('an error of the system is one line that says what to do', () => {
  it('for a port that is taken', async () => {
    const port = await busyPort()
    const { text, exitCode } = plainError(await refusedListen(port, '127.0.0.1'))
    expect(text).toMatch(
      new RegExp(
        `^port ${port} of 127.0.0.1 is taken: choose another with --port; \`drawbridge status\` .*$`,
      ),
    )
    expect(exitCode).toBe(1)
  })

  it('for an address of another machine, which is a mistake in using it', async () => {
    expect(plainError(await refusedListen(0, '192.0.2.1'))).toEqual({
      text: 'this machine does not have the address 192.0.2.1: choose another with --host',
      exitCode: 2,
    })
  })

  it.each([
    [() => readFileSync('/nowhere/at/all'), 'there is no /nowhere/at/all (ENOENT)'],
    [() => openSync('/', 'w'), '/ is a folder, and a file is wanted (EISDIR)'],
    [
      () => openSync(`${process.execPath}/below`, 'r'),
      `${process.execPath}/below: a part of it is a file, and a folder is wanted (ENOTDIR)`,
    ],
    [() => new DatabaseSync('/nowhere/x.db'), 'the database cannot be used: unable to open database file'],
  ])('%s', (act, text) => {
    expect(plainError(thrownBy(act))).toEqual({ text, exitCode: 1 })
  })
})

it('a current folder that is gone is told as such', () => {
  const before = process.cwd()
  const folder = mkdtempSync(path.join(tmpdir(), 'gone-'))
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  rmdirSync(folder)
  expect(plainError(thrownBy(() => process.cwd()))).toEqual({
    text: 'the current folder does not exist any more: cd to another',
    exitCode: 1,
  })
})

describe('an error of ours', () => {
  it('has the exit code that its code stands for', () => {
    const ours = (code: string) => plainError(new DrawbridgeError('it went wrong', { code })).exitCode
    expect([ours('anything'), ours('bad-settings'), ours('codex-crashed'), ours('codex-too-old')]).toEqual([
      1, 2, 1, 5,
    ])
    expect(plainError(new UsageError('not so'))).toEqual({ text: 'not so', exitCode: 2 })
    const missing = new CodexUnsuitableError('none', { code: 'codex-not-found', codexPath: '/nope' })
    expect(plainError(missing).exitCode).toBe(5)
  })

  it('says how to find what is there when something is not', () => {
    const { text } = plainError(new DrawbridgeError('there is no task zzzz', { code: 'task-not-found' }))
    expect(text).toBe('there is no task zzzz: `drawbridge task list --all` shows those there are')
  })

  it('of a worker that does not answer says where to look', () => {
    const unreachable = (isDone: false | null) => {
      const details = { isDone, taskId: 'task-1' }
      return plainError(
        new ApiError('it does not answer', { code: 'worker-unreachable', status: 503, details }),
      )
    }
    expect(unreachable(false)).toEqual({
      text: 'it does not answer. `drawbridge workers` shows whether that worker is up',
      exitCode: 1,
    })
    expect(unreachable(null).text).toBe(
      'it does not answer. `drawbridge task show task-1` shows it; `drawbridge workers` shows whether that worker is up',
    )
  })

  it('that nobody foresaw says that it is one, and keeps its trace', () => {
    const { text, exitCode } = plainError(thrownBy(() => (null as unknown as string).length))
    expect(text).toMatch(
      /^this is a bug in Drawbridge; please report it with these lines:\nTypeError: .*\n +at /,
    )
    expect(exitCode).toBe(1)
  })
})
