// Tasks on a machine that is reached with ssh: everything real, from the row of the host to the command there.
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ServiceHosts } from '../../../src/cli/serve/service-hosts.ts'
import { commandHook } from '../../../src/hosts/index.ts'
import type { HostDirectory } from '../../../src/tasks/index.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'
import { paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

function runs(request: ModelRequest) {
  const since = request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))
  const told = toolOutputs(request).filter(({ callId }) => callId === `call-${since}`)
  if (told.length > 0) return message(told.map(({ text }) => text).join('\n'))
  const command = (lastUserText(request) ?? '').replace('outside: ', '')
  return shell(command, { callId: `call-${since}`, escalate: 'needs it' })
}

it('is added, confirmed by its key, provisioned, and runs a task that asks and cannot read the login there', async () => {
  const stage = await sshStage()
  await stage.run('mkdir', '-p', ...['.codex', '.ssh', 'project'].map((name) => `${stage.home}/${name}`))
  for (const file of ['.codex/auth.json', '.ssh/key'])
    await stage.run('sh', '-c', `echo a secret > ${stage.home}/${file}`)
  let hosts: ServiceHosts | null = null
  const directory: HostDirectory = { get: (name) => hosts!.get(name) }
  const onHost = {
    env: { GIVEN: 'passed along' },
    passEnv: ['GIVEN'],
    machineOf: (name: string) => hosts!.machine(name),
  }
  const prepare = 'cat > facts.json; echo "$(whoami) in $(pwd) has $GIVEN"; sleep 4174 & exit 3'
  const slow = 'echo $$ > pid; sleep 4175; echo never > late'
  const once = 'echo x >> tries; test $(wc -l < tries) -gt 1 || sleep 4176'
  const hooks = [
    { name: 'prepare', on: 'before', onFailure: 'go on', ...commandHook(prepare, onHost) },
    { name: 'slow', on: 'before', labels: ['slow'], ...commandHook(slow, onHost) },
    { name: 'cut', on: 'before', labels: ['cut'], repeatable: true, ...commandHook(once, onHost) },
  ] as const
  const { tasks, database, dataDir, request } = await openTasks(runs, {
    hosts: directory,
    hooks: () => ({ hooks }),
  })
  const env = { PATH: process.env.PATH, HOME: path.join(dataDir, 'no-home') }
  mkdirSync(env.HOME)
  hosts = new ServiceHosts({ db: database.db, dataDir, env, now: Date.now, remote: { protect: ['~/.ssh'] } })
  onTestFinished(() => hosts!.close())
  const destination = `${stage.user}@${stage.address}:${stage.port}`
  await hosts.add({ name: 'box', destination, identity: stage.identityFile }, { by: 'alice' })
  await expect(hosts.add({ name: 'box', destination }, { by: 'alice' })).rejects.toThrow(/already/)
  await expect(hosts.check('box', {})).rejects.toThrow(stage.fingerprint())
  const checking = hosts.check('box', { acceptKey: stage.fingerprint(), provision: true })
  const uploadOf = async () => (await hosts!.list())[0]?.ssh?.upload
  await expect.poll(async () => (await uploadOf())?.sentBytes ?? 0).toBeGreaterThan(0)
  const checked = await checking
  expect(await uploadOf()).toBe(null)
  expect(checked).toMatchObject({ home: stage.home, server: '0.166.0', codex: [{ version: '0.166.0' }] })

  const cwd = `${stage.home}/project`
  const prompt = `outside: hostname > made; whoami; cd ${stage.home}; cat .codex/auth.json .ssh/key`
  const { id } = await tasks.start(
    request(prompt, { host: 'box', cwd, keepOpen: true, policy: { sandbox: 'workspace-write' } }),
    ALICE,
  )
  const asked = await questionOf(tasks, id)
  expect(asked.question).toMatchObject({ host: 'box', cwd })
  await tasks.decide(asked.id, { answer: 'once' }, ALICE)
  const { result } = await taskThat(tasks, id, ({ status }) => status === 'idle')
  expect(result!.text).toContain(stage.user)
  expect(result!.text.match(/Permission denied/g)).toHaveLength(2)
  expect(result!.text).not.toContain('a secret')
  expect(await stage.run('ls', cwd)).toContain('made')
  expect(JSON.parse(await stage.run('cat', `${cwd}/facts.json`))).toMatchObject({
    task: { id, host: 'box', cwd },
  })
  const told = (await allEvents(tasks, id))
    .filter(({ method }) => method.startsWith('drawbridge/hook'))
    .map(paramsOf)
  expect(told).toMatchObject([
    { status: 'started' },
    { text: `${stage.user} in ${cwd} has passed along\n` },
    { status: 'failed', exitCode: 3 },
  ])
  // Interrupting it ends the command there.
  const stopped = await tasks.start(request('go', { host: 'box', cwd, labels: ['slow'] }), ALICE)
  await expect.poll(() => stage.run('ls', cwd), { timeout: 20_000 }).toContain('pid')
  expect(await tasks.interrupt(stopped.id, ALICE)).toMatchObject({ status: 'interrupted', turnCount: 0 })
  expect(await stage.run('ps', '-ef')).not.toContain('sleep 4175')
  // When the connection is lost nobody knows whether it finished: one that may run again does.
  const cut = await tasks.start(request('outside: echo cut', { host: 'box', cwd, labels: ['cut'] }), ALICE)
  await expect.poll(() => stage.run('ls', cwd), { timeout: 20_000 }).toContain('tries')
  await stage.run('sh', '-c', `kill $(ps -eo pid,args | awk '/[s]shd: ${stage.user}@/ {print $1}')`)
  const cutAsks = await questionOf(tasks, cut.id)
  await tasks.decide(cutAsks.id, { answer: 'deny' }, ALICE)
  expect(await stage.run('cat', `${cwd}/tries`)).toBe('x\nx\n')
  const hookEnds = (await allEvents(tasks, cut.id)).filter(({ frame }) => frame.includes('"hook":"cut","on"'))
  expect(hookEnds.map(paramsOf).map(({ status }) => status)).toEqual([
    'started',
    'unknown',
    'started',
    'done',
  ])
  await expect(tasks.start(request(prompt, { host: 'box', cwd: `${cwd}/gone` }), ALICE)).rejects.toThrow(
    /there is no folder/,
  )
  expect(await hosts.list()).toMatchObject([
    { id: 'box', kind: 'ssh', ssh: { state: 'connected', mode: 'exec' } },
  ])
  const secrets = path.join(dataDir, 'ssh', 'box.json')
  expect(existsSync(secrets)).toBe(true)
  expect(await hosts.remove('box')).toBe(true)
  expect(existsSync(secrets)).toBe(false)
  await expect(tasks.start(request(prompt, { host: 'box', cwd }), ALICE)).rejects.toThrow(
    /there is no host box/,
  )

  // Its open thread is of the host that has the name now.
  await tasks.send(id, { input: 'outside: echo again', mode: 'queue' }, ALICE)
  await taskThat(tasks, id, ({ reason }) => reason.includes('waits for host box: it was removed'))
  await hosts.add({ name: 'box', destination, identity: stage.identityFile }, { by: 'alice' })
  await tasks.decide((await questionOf(tasks, id)).id, { answer: 'once' }, ALICE)
  const again = await taskThat(tasks, id, ({ status, turnCount }) => status === 'idle' && turnCount === 2)
  expect(again.result!.text).toContain('again')
}, 120_000)
