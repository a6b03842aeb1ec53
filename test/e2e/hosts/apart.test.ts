// Tasks of this machine and of several hosts on one codex home: the model of each names every machine, and only its own is
// there.
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { environmentId } from '../../../src/codex/environment.ts'
import {
  functionCall,
  hang,
  lastUserText,
  type ModelRequest,
  message,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { environmentOf, startOtherMachine } from '../../support/exec-server.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { taskThat } from '../../support/task-facts.ts'

const UNKNOWN = 'unknown turn environment id'

/** Names every machine, those that are not its own outside of the sandbox too. `text`: its own, and what is left behind. */
function tries(text: string, { ids, callId }: { ids: readonly string[]; callId: string }) {
  const [own, mark] = text.split(' ')
  return ids.flatMap((id, index) => {
    const name = id.replace(/-.*/, '')
    const call = { cmd: `touch ${mark}-by-${name}`, environment_id: id }
    const inside = functionCall('exec_command', call, { callId: `${callId}-${index}` })
    if (name === own) return [inside]
    const escalated = { sandbox_permissions: 'require_escalated', justification: 'wants it' }
    return [
      inside,
      functionCall('exec_command', { ...call, ...escalated }, { callId: `${callId}-${index}-out` }),
    ]
  })
}

function scriptOf(ids: readonly string[]) {
  return (request: ModelRequest) => {
    const { input } = request.body
    const since = input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))
    const callId = `call-${input.length}`
    const goal = /GOAL (\w+ \w+)/.exec(JSON.stringify(input[since]))
    if (JSON.stringify(input[since]).includes('codex_internal_context') && goal) {
      const isDone = JSON.stringify(input.slice(since + 1)).includes('call_output')
      return isDone ? hang() : tries(goal[1]!, { ids, callId })
    }
    const text = lastUserText(request)
    const told = toolOutputs(request)
    if (!text.startsWith('spawn '))
      return told.length === 0
        ? tries(text, { ids, callId })
        : message(told.map((output) => output.text).join('\n'))
    const named = { callId, namespace: 'multi_agent_v1' }
    if (told.length === 0) return functionCall('spawn_agent', { message: text.slice(6) }, named)
    const wait = { targets: [JSON.parse(told[0]!.text).agent_id], timeout_ms: 15_000 }
    return told.length === 1 ? functionCall('wait_agent', wait, named) : message(told[1]!.text)
  }
}

async function openStage() {
  const machines = { box: await startOtherMachine(), far: await startOtherMachine() }
  const localFolder = path.join(machines.box.home, 'empty')
  mkdirSync(localFolder)
  const ids = ['local', environmentId('box', machines.box), environmentId('far', machines.far)]
  const hosts = {
    get: async (name: string) =>
      name === 'box' || name === 'far' ? environmentOf(machines[name], { localFolder, name }) : null,
  }
  const stage = await openTasks(scriptOf(ids), { hosts })
  const folders = { local: stage.cwd, box: machines.box.cwd, far: machines.far.cwd, empty: localFolder }
  /** What was left behind, and where. */
  const left = (mark: string) =>
    Object.entries(folders).flatMap(([place, folder]) =>
      readdirSync(folder)
        .filter((name) => name.startsWith(`${mark}-`))
        .map((name) => `${name} in ${place}`),
    )
  return { ...stage, ids, left, folders }
}

type Stage = Awaited<ReturnType<typeof openStage>>
type Own = 'local' | 'box' | 'far'

function actsOf(stage: Stage, own: Own) {
  const { ids, left, folders, model, request, home } = stage
  const place = own === 'local' ? {} : { host: own, cwd: folders[own] }
  const only = (mark: string) => [`${mark}-by-${own} in ${own}`]
  const isRefused = (text: string) => expect(text.split(UNKNOWN)).toHaveLength(2 * (ids.length - 1) + 1)
  const settled = async (id: string, { tasks }: Pick<Stage, 'tasks'>, turns: number) => {
    const task = await taskThat(
      tasks,
      id,
      ({ status, turnCount }) => turnCount === turns && (status === 'idle' || status === 'failed'),
    )
    expect(task).toMatchObject({ status: 'idle', openApprovals: 0, failure: null })
    return task
  }
  return {
    start: async (mark: string): Promise<string> => {
      const policy = { sandbox: 'workspace-write' } as const
      const { id } = await stage.tasks.start(
        request(`${own} ${mark}`, { ...place, keepOpen: true, shareFolder: true, policy }),
        ALICE,
      )
      const { result } = await settled(id, stage, 1)
      isRefused(result!.text!)
      expect(left(mark)).toEqual(only(mark))
      return id
    },
    next: async (id: string, mark: string, service: Pick<Stage, 'tasks'> = stage): Promise<void> => {
      const { turnCount } = await service.tasks.get(id)
      const isSpawned = mark.startsWith('child')
      await service.tasks.send(
        id,
        { input: `${isSpawned ? 'spawn ' : ''}${own} ${mark}`, mode: 'queue' },
        ALICE,
      )
      const { result } = await settled(id, service, turnCount + 1)
      isRefused(result!.text!)
      expect(left(mark)).toEqual(only(mark))
    },
    fork: async (taskId: string, mark: string): Promise<void> => {
      const { id } = await stage.tasks.fork(taskId, { prompt: `${own} ${mark}`, shareFolder: true }, ALICE)
      const { result } = await taskThat(
        stage.tasks,
        id,
        ({ turnCount, turnId }) => turnCount === 1 && turnId === null,
      )
      isRefused(result!.text!)
      expect(left(mark)).toEqual(only(mark))
    },
    goal: async (id: string, mark: string, service: Pick<Stage, 'tasks' | 'pool'>): Promise<void> => {
      const { threadId } = await service.tasks.get(id)
      const { codex } = await otherClient({ ...service, home, execHost: own === 'local' ? null : own })
      const objective = `GOAL ${own} ${mark}`
      await codex.request('thread/goal/set', { threadId: threadId!, objective, status: 'active' })
      const answered = () => {
        const texts = model.requests.map(({ body }) => JSON.stringify(body.input))
        return (texts.findLast((text) => text.includes(objective)) ?? '').split(objective).slice(1).join('')
      }
      await expect.poll(answered, { timeout: 15_000 }).toContain(UNKNOWN)
      isRefused(answered())
      expect(left(mark)).toEqual(only(mark))
      await service.tasks.interrupt(id, ALICE)
    },
  }
}

it('never share an app-server, so that no model can name a machine that its task was not given', async () => {
  const stage = await openStage()
  const { pool } = stage
  const owns: readonly Own[] = ['box', 'far', 'local']
  const acts = { box: actsOf(stage, 'box'), far: actsOf(stage, 'far'), local: actsOf(stage, 'local') }
  const ids: Record<string, string> = {}
  for (const own of owns) ids[own] = await acts[own].start(`started${own}`)
  const pids = () => Object.fromEntries(pool.list().map(({ key, pid }) => [key.execHost, pid]))
  expect(
    pool
      .list()
      .map(({ key }) => key.execHost)
      .sort(),
  ).toEqual(['box', 'far', null])
  for (const own of owns) {
    await acts[own].next(ids[own]!, `child${own}`)
    await acts[own].fork(ids[own]!, `forked${own}`)
  }

  // Loaded anew: codex forgets where a thread was.
  for (const { pid } of pool.list()) process.kill(pid!, 'SIGKILL')
  for (const own of owns) await acts[own].next(ids[own]!, `resumed${own}`)
  const running = pids()
  expect(Object.keys(running)).toHaveLength(3)

  await stage.close()
  const later = await stage.open()
  for (const own of owns) await acts[own].next(ids[own]!, `found${own}`, later)
  expect(later.pool.list().map(({ key, pid }) => [key.execHost, pid])).toEqual(
    expect.arrayContaining(
      owns.map((own) => [own === 'local' ? null : own, running[own === 'local' ? 'null' : own]]),
    ),
  )
  for (const own of owns) await acts[own].goal(ids[own]!, `goal${own}`, later)
  expect((await later.tasks.approvals({ status: 'pending' })).items).toEqual([])
}, 120_000)
