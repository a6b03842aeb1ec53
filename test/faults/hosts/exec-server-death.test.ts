// In exec mode the exec-server is all that runs on the host. It is killed, or the host is started again, while tasks work and ask.
import { expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { remoteTasks } from '../../support/ssh/remote-tasks.ts'
import { questionOf, runTask } from '../../support/task-facts.ts'

/** A model that runs each line of the message, one after the other, outside the sandbox after `outside: `. */
function runsEachLine(request: ModelRequest) {
  const text = lastUserText(request) ?? ''
  const since = request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))
  const told = toolOutputs(request).filter(({ callId }) => callId.startsWith(`call-${since}-`))
  const line = text.split('\n')[told.length]
  if (line === undefined) return message(told.map((output) => output.text).join('\n'))
  const callId = `call-${since}-${told.length}`
  const patience = { yield_time_ms: 60_000 }
  if (!line.startsWith('outside: ')) return shell(line, { callId, arguments: patience })
  return shell(line.slice(9), { callId, escalate: 'needs it', arguments: patience })
}

it('costs the command that ran and nothing else: not the turn, its next commands or a question', async () => {
  const { tasks, on, machine, model } = await remoteTasks(runsEachLine, { mode: 'exec' })
  await runTask(tasks, on('true'))
  const faults: Record<string, () => Promise<unknown>> = {
    'the exec-server was killed': () => machine.kill(`${machine.codexPath} exec-server`),
    'the host was started again': () => machine.reboot(),
  }
  for (const [what, fault] of Object.entries(faults)) {
    const asked = model.requests.length
    const inside = await tasks.start(on(`echo begun; sleep 100\necho next after ${what}`), ALICE)
    const outside = await tasks.start(on(`outside: echo out; sleep 1000\necho also after ${what}`), ALICE)
    await tasks.decide((await questionOf(tasks, outside.id)).id, { answer: 'once' }, ALICE)
    const asks = await tasks.start(on(`outside: echo yes after ${what}`), ALICE)
    const question = await questionOf(tasks, asks.id)
    for (const command of ['sleep 100', 'sleep 1000'])
      await expect
        .poll(async () => (await machine.commands()).some((line) => line.trim() === command))
        .toBe(true)
    await fault()
    // A command that begins before codex has noticed fails too.
    const next = await tasks.wait(inside.id, {})
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    const others = [outside, asks].map(({ id }) => tasks.wait(id, { through: true }))
    const ended = [next, ...(await Promise.all(others))]
    expect(
      ended.map(({ status }) => status),
      what,
    ).toEqual(['idle', 'idle', 'idle'])
    const said = ['next', 'also', 'yes'].map((word) => expect.stringContaining(`${word} after ${what}`))
    expect(
      ended.map(({ result }) => result!.text),
      what,
    ).toEqual(said)
    expect((await tasks.approvals({ taskId: asks.id })).items).toHaveLength(1)
    // A turn that was begun again would have asked the model again.
    expect(model.requests.length - asked, what).toBe(8)
    const left = await machine.commands()
    expect(left, what).toEqual([expect.stringContaining(' exec-server ')])
  }
}, 120_000)
