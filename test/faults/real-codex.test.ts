// The real codex is killed in the middle of something: that ends too, and the thread can be taken up again.
import { describe, expect, it } from 'vitest'
import type { Codex, Thread, TransportClosedError } from '../../src/codex/index.ts'
import { message, shell } from '../../src/testing/index.ts'
import { eventually, rejection, taggedRunning, within } from './processes.ts'
import { realHost } from './real-host.ts'
import { heard, iterated, type WatchedHost } from './watched-host.ts'

const COMMAND = 'item/commandExecution/requestApproval'

/** Kills codex in the middle of this turn and holds everyone who waits to what they were promised. */
async function killed(
  codex: Codex,
  thread: Thread,
  until: () => Promise<unknown>,
): Promise<TransportClosedError> {
  const turn = await thread.startTurn('go')
  const iteration = iterated(turn)
  const pending = rejection(codex.request('command/exec', { command: ['sleep', '301'] }), 20_000)
  await within(10_000, until())
  process.kill(codex.pid!, 'SIGKILL')
  const outcome = await within(3_000, turn.outcome)
  const reason = await codex.closed
  expect(outcome).toMatchObject({
    status: 'lost',
    error: { code: 'codex-crashed', message: 'codex was ended by SIGKILL', resumable: true },
  })
  expect((await iteration).error).toBe(reason)
  expect(await pending).toBe(reason)
  return reason
}

async function expectResumes(host: WatchedHost, threadId: string): Promise<void> {
  await using codex = await host.open()
  const thread = await codex.resumeThread(threadId)
  const turn = await thread.startTurn('and now?')
  expect(await within(10_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'back again' })
  const { data } = await codex.request('thread/turns/list', { threadId })
  expect(data.map(({ status }) => status)).toEqual(['completed', 'interrupted'])
}

describe.concurrent('kill -9 of codex', () => {
  it('while the model streams: the turn is lost, nothing is left, a new process resumes the thread', async () => {
    await using host = await realHost(message('tick ', { count: 5_000, delayMs: 10 }))
    const codex = await host.open()
    const thread = await codex.startThread({ cwd: host.cwd })
    await killed(codex, thread, () => heard(codex, 'item/agentMessage/delta'))
    await within(5_000, codex.close())
    host.expectNothingLeft()
    await expectResumes(host, thread.id)
  })

  it('while a command runs: the command ends too', async () => {
    await using host = await realHost(shell('sleep 300'))
    const codex = await host.open()
    const thread = await codex.startThread({ cwd: host.cwd, sandbox: 'workspace-write' })
    await killed(codex, thread, () =>
      eventually(() => taggedRunning(host.tag, 'sleep 300').length > 0, 'the command runs'),
    )
    await within(5_000, codex.close())
    host.expectNothingLeft()
    await expectResumes(host, thread.id)
  })

  it('while an approval is pending: the question is withdrawn with the same reason', async () => {
    await using host = await realHost(shell('sleep 300', { escalate: 'need it' }))
    const asked = Promise.withResolvers<AbortSignal>()
    const codex = await host.open({
      handlers: {
        [COMMAND]: (_params, { signal }) => {
          asked.resolve(signal)
          return new Promise(() => {})
        },
      },
    })
    const thread = await codex.startThread({ cwd: host.cwd })
    const reason = await killed(codex, thread, () => asked.promise)
    expect((await asked.promise).reason).toBe(reason)
    await within(5_000, codex.close())
    host.expectNothingLeft()
    await expectResumes(host, thread.id)
  })
})

describe.concurrent('an approval of the real codex', () => {
  it('that is sent again because its thread is resumed is asked once, and its answer counts', async () => {
    await using host = await realHost(shell('echo approved', { escalate: 'need it' }))
    const asked: unknown[] = []
    const first = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<{ decision: 'accept' }>()
    const codex = await host.open({
      handlers: {
        [COMMAND]: (params) => {
          asked.push(params)
          first.resolve()
          return answer.promise
        },
      },
    })
    const sentIds: unknown[] = []
    const thread = await codex.startThread({ cwd: host.cwd })
    const turn = await thread.startTurn('go')
    codex.subscribe(({ method, params }) => {
      if (method === 'serverRequest/resolved') sentIds.push(params.requestId)
    })
    await within(10_000, first.promise)
    await codex.resumeThread(thread.id)
    answer.resolve({ decision: 'accept' })
    expect(await within(10_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'back again' })
    expect(asked).toHaveLength(1)
    expect(sentIds).toHaveLength(1)
    expect(host.incidents).toEqual([])
  })
})

describe.concurrent('close of the real codex', () => {
  it('while a command runs ends the command', async () => {
    await using host = await realHost(shell('sleep 300'))
    const codex = await host.open()
    const thread = await codex.startThread({ cwd: host.cwd, sandbox: 'workspace-write' })
    const turn = await thread.startTurn('go')
    await eventually(() => taggedRunning(host.tag, 'sleep 300').length > 0, 'the command runs')
    await within(5_000, codex.close())
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'shutdown' })
    host.expectNothingLeft()
  })
})
