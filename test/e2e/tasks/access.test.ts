// What a task may touch, kept over all that a task lives through, on the real codex and its sandbox.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Task } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  makeWorkspace,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { HOME_WITH_ROOTS, hostileRepo } from '../../support/hostile-repo.ts'
import { ALICE, openTasks } from '../../support/open-tasks.ts'

/** Runs what the newest message says, and answers with what came of it. */
function obedient(request: ModelRequest) {
  const last = request.body.input?.at(-1) as { type?: string } | undefined
  return last?.type?.endsWith('_output')
    ? message(toolOutputs(request).at(-1)?.text ?? '')
    : shell(lastUserText(request))
}

async function places() {
  const scratch = await makeWorkspace()
  onTestFinished(() => scratch.remove())
  const at = (name: string) => path.join(scratch.path, name)
  for (const name of ['docs', 'out', 'docs-sibling', 'elsewhere']) {
    mkdirSync(at(name))
    writeFileSync(path.join(at(name), 'word'), `word-of-${name}`)
  }
  const server = createServer((_, response) => response.end('from-the-network')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const tries = [
    `cat ${at('docs')}/word`,
    `echo x > ${at('docs')}/made && echo wrote-docs`,
    `echo x > ${at('out')}/made && echo wrote-out`,
    `cat ${at('docs-sibling')}/word`,
    'echo x > made && echo wrote-here',
    `curl -s -m 5 http://127.0.0.1:${port}`,
    `curl -s -m 5 --noproxy '*' http://127.0.0.1:${port} && echo around-the-proxy`,
    'mktemp >/dev/null && echo has-temp',
    'true',
  ]
  return { at, port, command: tries.map((each) => `( ${each} ) 2>/dev/null`).join('; ') }
}

const seenIn = ({ result }: Task) =>
  [
    'word-of-docs\n',
    'word-of-docs-sibling',
    'wrote-docs',
    'wrote-out',
    'wrote-here',
    'from-the-network',
    'around-the-proxy',
    'has-temp',
  ].filter((word) => `${result?.text.replace(/word-of-docs(?!-)/, 'word-of-docs\n')}`.includes(word))
const ALLOWED = ['word-of-docs\n', 'wrote-out', 'wrote-here', 'from-the-network', 'has-temp']

it('is kept over turns, forks, a restart of the service, and the death of codex', async () => {
  const { at, command } = await places()
  const stage = await openTasks(obedient)
  symlinkSync(at('docs'), at('link'))
  const allow = [
    { path: at('link'), access: 'ro' },
    { path: at('out'), access: 'rw' },
  ] as const
  const policy = {
    sandbox: 'workspace-write',
    confined: true,
    allow: [...allow],
    network: { domains: ['127.0.0.1'] },
  } as const
  let { tasks } = stage
  const ended = (id: string) => tasks.wait(id, { through: true })
  const { id } = await tasks.start(stage.request(command, { policy, keepOpen: true }), ALICE)
  const first = await ended(id)
  expect(seenIn(first)).toEqual(ALLOWED)
  const kept = [{ ...allow[0], path: at('docs') }, allow[1]]
  expect(first).toMatchObject({
    policy: { ...policy, allow: kept },
    effectivePolicy: {
      confined: true,
      allow: kept,
      network: policy.network,
      sandbox: { writableRoots: [at('out')] },
    },
  })
  expect(first.effectivePolicy?.permissions).toMatch(/-access-[0-9a-f]{12}-rw-domains-/)

  const fork = await tasks.fork(id, { prompt: command }, ALICE)
  expect(seenIn(await ended(fork.id))).toEqual(ALLOWED)

  await stage.close()
  const again = await stage.open()
  tasks = again.tasks
  await tasks.send(id, { input: command, mode: 'queue' }, ALICE)
  expect(seenIn(await ended(id))).toEqual(ALLOWED)

  process.kill(again.pool.list()[0]!.pid!, 'SIGKILL')
  await expect.poll(() => again.pool.list().filter(({ pid }) => pid !== null).length).toBe(0)
  await tasks.send(id, { input: command, mode: 'queue' }, ALICE)
  const last = await ended(id)
  expect(seenIn(last)).toEqual(ALLOWED)
  // What the process protects may have changed; what was chosen has not.
  const own = ({ effectivePolicy }: Task) => `${effectivePolicy?.permissions}`.replace(/^.*-access-/, '')
  expect(own(last)).toBe(own(first))

  // Another task may have put a link where the folder was: what that leads to was never allowed.
  renameSync(at('docs'), at('moved'))
  symlinkSync(at('elsewhere'), at('docs'))
  await tasks.send(id, { input: command, mode: 'queue' }, ALICE)
  expect(await ended(id)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('it is not what was allowed'),
  })
  expect(again.incidents).toEqual([])
})

it('holds for a sub-agent', async () => {
  const { at } = await places()
  const agents = { namespace: 'multi_agent_v1' }
  const read = `cat ${at('docs')}/word; cat ${at('elsewhere')}/word; true`
  const { tasks, request } = await openTasks((asked) => {
    const outputs = toolOutputs(asked).map(({ text }) => text)
    if (lastUserText(asked).includes('CHILD'))
      return outputs.length === 0 ? shell(read) : message(outputs[0]!)
    if (outputs.length === 0) return functionCall('spawn_agent', { message: 'CHILD' }, agents)
    const wait = { targets: [JSON.parse(outputs[0]!).agent_id], timeout_ms: 20_000 }
    return outputs.length === 1 ? functionCall('wait_agent', wait, agents) : message(outputs[1]!)
  })
  const policy = { confined: true, allow: [{ path: at('docs'), access: 'ro' as const }] }
  const { id } = await tasks.start(request('go', { policy }), ALICE)
  const { result } = await tasks.wait(id, { through: true })
  expect(result?.text).toContain('word-of-docs')
  expect(result?.text).not.toContain('word-of-elsewhere')
})

it('is refused where it cannot be kept, before anything is started', async () => {
  const { at } = await places()
  const { tasks, request, home, dataDir } = await openTasks(() => message('fine'))
  const start = (policy: object) => tasks.start(request('go', { policy }), ALICE)
  const allowed = (place: string, access = 'ro') => ({ allow: [{ path: place, access }] })
  for (const [policy, why] of [
    [allowed('/proc/1'), 'shows other processes'],
    [allowed(at('nothing')), 'there is nothing at'],
    [allowed(path.join(at('docs'), '.git'), 'rw'), 'run outside the sandbox'],
    [{ network: { domains: ['https://a.org'] } }, 'is not a domain'],
    [{ confined: true, permissions: ':read-only' }, 'permission profile'],
  ] as const)
    await expect(start(policy)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringContaining(why),
    })
  writeFileSync(path.join(home.path, 'auth.json'), '{}')
  for (const [policy, why] of [
    [allowed(path.join(home.path, 'auth.json')), 'is protected'],
    [allowed(home.path, 'rw'), 'auth.json, which is protected'],
    [allowed(dataDir), 'is protected'],
  ] as const) {
    const { id } = await start(policy)
    const task = await tasks.wait(id, { through: true })
    expect(task).toMatchObject({
      status: 'failed',
      failure: { code: 'sandbox' },
      reason: expect.stringContaining(why),
    })
  }
})

it('in a trusted folder is held to it too, and what the repository names is started', async () => {
  const { command } = await places()
  const repo = await hostileRepo()
  const { tasks, request } = await openTasks(obedient, {
    home: HOME_WITH_ROOTS,
    trustOf: () => ({ trustedRoot: repo.root }),
  })
  const policy = { sandbox: 'workspace-write', confined: true } as const
  const { id } = await tasks.start(request(command, { cwd: repo.root, policy }), ALICE)
  expect(seenIn(await tasks.wait(id, { through: true }))).toEqual(['wrote-here', 'has-temp'])
  expect(repo.started()).toContain('mcp')
  const full = { overrides: { sandbox: 'danger-full-access' } } as const
  const send = tasks.send(id, { input: 'more', mode: 'queue', ...full }, ALICE)
  await expect(send).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('no sandbox'),
  })
  rmSync(path.join(repo.root, 'made'))
})
