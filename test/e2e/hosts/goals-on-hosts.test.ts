// Turns that codex begins by itself in a thread of another machine, when it has loaded that thread anew and forgotten the
// machine (0.166): nothing of them runs on this one.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Codex, Incident, Question } from '../../../src/codex/index.ts'
import { SHUT_CONFIG } from '../../../src/codex/thread/placement.ts'
import { hang, lastUserText, type ModelRequest, message, shell } from '../../../src/testing/index.ts'
import { environmentOf, startOtherMachine } from '../../support/exec-server.ts'
import { openClient } from '../../support/open-client.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { taskThat } from '../../support/task-facts.ts'

const WHO = 'echo "on $MACHINE."'
const THERE = 'on the other one.'
/** Where a command has run that does not know of the other machine. */
const HERE = 'on .'

interface Goal {
  /** What a turn of the goal does: nothing, or this command, once. */
  command: string | null
  escalate: boolean
}

/** Runs what the message says, and in a turn of the goal what that is to do, once; then the model thinks for ever. */
function scriptOf(goal: Goal) {
  return (request: ModelRequest) => {
    const { input } = request.body
    const since = input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))
    const callId = `call-${since}`
    const isGoal = JSON.stringify(input[since]).includes('codex_internal_context')
    const isDone = JSON.stringify(input.slice(since + 1)).includes('call_output')
    if (isGoal && (isDone || goal.command === null)) return hang()
    if (isGoal && goal.escalate) return shell(goal.command!, { callId, escalate: 'needs it' })
    if (isGoal) return shell(goal.command!, { callId })
    return isDone ? message('done') : shell(lastUserText(request) ?? '', { callId })
  }
}

async function openStage() {
  const machine = await startOtherMachine()
  const goal: Goal = { command: null, escalate: false }
  const asked: Question[] = []
  const incidents: Incident[] = []
  const client = await openClient(scriptOf(goal), {
    client: {
      experimental: true,
      onApproval: (question) => {
        asked.push(question)
        return 'once'
      },
      onIncident: (incident) => incidents.push(incident),
    },
    host: { protect: [] },
  })
  const { path: home } = client.home
  const localFolder = path.join(home, 'empty')
  mkdirSync(localFolder)
  const secret = path.join(home, 'secret')
  writeFileSync(secret, 'a secret of this machine')
  const place = { environment: environmentOf(machine, { localFolder }), cwd: machine.cwd }
  return { ...client, ...heardBy(client.model), machine, goal, asked, incidents, place, localFolder, secret }
}

/** What the model was told: all of it, and how often its newest request says that a command ran there. */
function heardBy(model: { readonly requests: readonly ModelRequest[] }) {
  const texts = () => model.requests.map(({ body }) => JSON.stringify(body.input))
  return { told: () => texts().join('\n'), timesThere: () => texts().at(-1)!.split(THERE).length - 1 }
}

const setGoal = (codex: Codex, threadId: string) =>
  codex.request('thread/goal/set', { threadId, objective: 'go on', status: 'active' })

/** A thread there with a goal that codex works on, and a codex that has not loaded it. */
async function forgotten() {
  const stage = await openStage()
  const thread = await stage.codex.startThread({ ...stage.place, sandbox: 'workspace-write' })
  await (await thread.startTurn(WHO)).outcome
  const begun = Promise.withResolvers<unknown>()
  thread.onTurn(begun.resolve)
  await setGoal(stage.codex, thread.id)
  await begun.promise
  await stage.codex.close()
  return { ...stage, threadId: thread.id, codex: await stage.open() }
}

describe('a thread of another machine that is loaded anew', () => {
  it('goes on with its goal there, after the next turn, and not before', async () => {
    const { codex, threadId, place, goal, told, timesThere } = await forgotten()
    goal.command = WHO
    const thread = await codex.resumeThread(threadId, { ...place, sandbox: 'workspace-write' })
    const begun: string[] = []
    const byItself = Promise.withResolvers<void>()
    thread.onTurn(({ origin }) => {
      begun.push(origin)
      if (origin === 'codex') byItself.resolve()
    })
    const turn = await thread.startTurn('touch made && echo "made $MACHINE"')
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
    await byItself.promise
    await expect.poll(timesThere).toBe(2)
    expect(begun).toEqual(['client', 'codex'])
    expect(told()).toContain('made the other one')
    expect(told()).not.toContain(HERE)
    expect((await codex.request('thread/goal/get', { threadId })).goal).toMatchObject({ status: 'active' })
  })

  it('runs no command here and reads nothing here in a turn that codex begins all the same', async () => {
    const { codex, threadId, goal, secret, localFolder, told, home } = await forgotten()
    goal.command = `${WHO} > ${home.path}/ran; ${WHO}; cat ${secret}`
    // As the thread is resumed, with nobody who would interrupt the turn.
    await codex.request('thread/resume', { threadId, cwd: localFolder, config: SHUT_CONFIG as never })
    await expect.poll(told, { timeout: 10_000 }).toContain('call_output')
    expect(told()).not.toMatch(/a secret of this machine|on \./)
    expect(existsSync(`${home.path}/ran`)).toBe(false)
  })

  it('has such a turn interrupted, asks nobody for it, and takes the next turn there', async () => {
    const { codex, threadId, place, goal, asked, incidents, secret, told, timesThere } = await forgotten()
    // Codex's own reviewer would ask nobody, and is not there yet.
    const thread = await codex.resumeThread(threadId, { ...place, approvalsReviewer: 'auto_review' })
    await codex.request('thread/goal/set', { threadId, status: 'paused' })
    goal.command = `cat ${secret}`
    goal.escalate = true
    await setGoal(codex, threadId)
    await expect.poll(() => incidents.map(({ type }) => type)).toContain('turn-misplaced')
    goal.command = null
    expect(await (await thread.startTurn(WHO)).outcome).toMatchObject({ status: 'completed' })
    expect(timesThere()).toBe(2)
    expect(told()).not.toContain('a secret of this machine')
    expect(asked).toEqual([])
    expect(incidents.map(({ type }) => type)).not.toContain('policy-differs')
  })

  it('is reviewed there once a turn has named its machine, and is not loaded while that is away', async () => {
    const { codex, threadId, place, machine, told, timesThere } = await forgotten()
    await machine.kill()
    await expect(codex.resumeThread(threadId, place)).rejects.toMatchObject({ code: 'host-unreachable' })
    expect((await codex.request('thread/loaded/list', {})).data).toEqual([])
    await machine.start()
    const thread = await codex.resumeThread(threadId, place)
    const target = { type: 'custom', instructions: `${WHO} # review` } as const
    await expect(thread.review(target)).rejects.toMatchObject({ code: 'thread-unplaced' })
    await codex.request('thread/goal/clear', { threadId })
    await (await thread.startTurn(WHO)).outcome
    expect(await (await thread.review(target)).outcome).toMatchObject({ status: 'completed' })
    expect(timesThere()).toBe(1)
    expect(told()).not.toContain(HERE)
  })
})

it('a task on a host goes on with its goal there after its app-server is gone', async () => {
  const machine = await startOtherMachine()
  const localFolder = path.join(machine.home, 'empty')
  mkdirSync(localFolder)
  const environment = environmentOf(machine, { localFolder })
  const goal: Goal = { command: null, escalate: false }
  const hosts = { get: async () => environment }
  const stage = await openTasks(scriptOf(goal), { hosts })
  const on = { host: 'box', cwd: machine.cwd, keepOpen: true }
  const { id } = await stage.tasks.start(stage.request(WHO, on), ALICE)
  const { threadId } = await taskThat(stage.tasks, id, ({ status }) => status === 'idle')
  const other = await otherClient({ ...stage, execHost: 'box' })
  await other.codex.request('thread/goal/set', { threadId: threadId!, objective: 'go on', status: 'active' })
  await taskThat(stage.tasks, id, ({ status, turnCount }) => status === 'working' && turnCount === 2)
  process.kill(stage.pool.list()[0]!.pid!, 'SIGKILL')
  await taskThat(stage.tasks, id, ({ status }) => status === 'lost')
  goal.command = WHO
  await stage.tasks.resume(id, { prompt: `${WHO} again` }, ALICE)
  await taskThat(stage.tasks, id, ({ status, turnCount }) => status === 'working' && turnCount === 4)
  const { told, timesThere } = heardBy(stage.model)
  await expect.poll(timesThere).toBe(3)
  expect(told()).not.toContain(HERE)
  await stage.tasks.interrupt(id, ALICE)
})
