import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { runCommand, type StartedProcess } from './run-command.ts'

let made = 0

/** A shell that runs this, and what it wrote. */
function start(script: string, { signal = new AbortController().signal, input = '' } = {}) {
  const marker = `test-${process.pid}-${++made}`
  const written = { stdout: '', stderr: '' }
  const heard = Promise.withResolvers<void>()
  let process_: StartedProcess | null = null
  const ended = runCommand(['/bin/sh', '-c', script], {
    ...{ cwd: tmpdir(), env: { PATH: process.env.PATH! }, input, marker, signal },
    onOutput: (text, stream) => {
      written[stream] += text
      heard.resolve()
    },
    onStarted: (started) => {
      process_ = started
    },
  })
  ended.catch(() => {})
  return { ended, written, heard: heard.promise, marker, process: () => process_ }
}

/** Processes with this in their environment or command line. */
function running(word: string): string[] {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'latin1')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => !/^\d+ \(.*\) Z/.test(read(`/proc/${pid}/stat`)))
    .filter(
      (pid) => read(`/proc/${pid}/environ`).includes(word) || read(`/proc/${pid}/cmdline`).includes(word),
    )
}

it('gives the input, tells both streams, and the exit code when it is not 0', async () => {
  const done = start('cat; echo no >&2', { input: '{"a":1}' })
  await done.ended
  expect(done.written).toEqual({ stdout: '{"a":1}', stderr: 'no\n' })
  await expect(start('exit 3').ended).rejects.toMatchObject({
    exitCode: 3,
    message: 'it ended with exit code 3',
  })
  await expect(start('kill -9 $$').ended).rejects.toMatchObject({ message: 'it was ended by SIGKILL' })
})

it('ends what ignores TERM and what it started, wherever that went', async () => {
  const controller = new AbortController()
  const seconds = `41${Date.now() % 1e7}`
  const stubborn = `trap '' TERM; (trap '' TERM; setsid sleep ${seconds}) & echo up; while :; do sleep ${seconds}; done`
  const { ended, heard, marker } = start(stubborn, { signal: controller.signal })
  await heard
  controller.abort(new Error('enough'))
  await expect(ended).rejects.toThrow('enough')
  expect([running(marker), running(seconds)]).toEqual([[], []])
})

it('takes along what it leaves in the background when it ends well', async () => {
  const seconds = `42${Date.now() % 1e7}`
  const { ended, marker } = start(`env -i sleep ${seconds} & setsid sleep ${seconds} & echo up`)
  await ended
  expect([running(marker), running(seconds)]).toEqual([[], []])
})

it('says which folder or program is missing', async () => {
  const run = {
    ...{ env: {}, input: '', marker: 'test-missing', signal: new AbortController().signal },
    ...{ onOutput: () => {}, onStarted: () => {} },
  }
  await expect(runCommand(['/bin/sh'], { ...run, cwd: '/not/there' })).rejects.toThrow(
    'the folder /not/there is not there',
  )
  await expect(runCommand(['/not/a/program'], { ...run, cwd: '/' })).rejects.toThrow('could not be started')
})
