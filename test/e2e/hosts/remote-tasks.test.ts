// Tasks whose codex runs on a host: with its login and its threads, and on when this machine is off.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALICE } from '../../support/open-tasks.ts'
import { remoteTasks } from '../../support/ssh/remote-tasks.ts'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { eventThat, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

describe('a task in remote mode', () => {
  it('works there with the codex there, goes on in its next turns and its forks, and is interrupted there', async () => {
    const { tasks, on, machine, sshHosts, cwd } = await remoteTasks(saysWhatItRan)
    const task = await runTask(tasks, on('whoami; pwd'))
    expect(task).toMatchObject({ host: 'box', codexHome: 'ssh:box', status: 'idle', failure: null })
    expect(task.result!.text).toContain(`${machine.user}\n${cwd}`)
    expect(await machine.commands()).toContainEqual(expect.stringContaining('codex app-server'))
    await tasks.send(task.id, { input: 'echo again; whoami', mode: 'queue' }, ALICE)
    await taskThat(tasks, task.id, ({ turnCount, status }) => turnCount === 2 && status === 'idle')
    const fork = await tasks.fork(task.id, { prompt: 'echo forked; whoami' }, ALICE)
    const forked = await taskThat(tasks, fork.id, ({ status }) => status === 'idle' || status === 'failed')
    expect(forked).toMatchObject({
      host: 'box',
      result: { text: expect.stringContaining(`forked\n${machine.user}`) },
    })

    const { id } = await tasks.start(on('echo begun; sleep 300'), ALICE)
    await eventThat(
      tasks,
      id,
      ({ method, frame }) => method === 'item/started' && frame.includes('commandExecution'),
    )
    await tasks.interrupt(id, ALICE)
    expect(await taskThat(tasks, id, ({ turnId }) => turnId === null)).toMatchObject({
      status: 'interrupted',
    })
    expect(await sshHosts.list()).toMatchObject([{ id: 'box', ssh: { mode: 'remote', state: 'connected' } }])
    expect(await sshHosts.check('box', { provision: true })).toMatchObject({
      mode: 'remote',
      hasLogin: false,
      server: '0.166.0',
    })
    expect(tasks.appServers()).toMatchObject([{ key: { codexHome: 'ssh:box' }, state: 'running' }])
  })

  it('asks with the name of the host, under no trust and no rule of this machine, and reads no login there', async () => {
    const profile = 'export THEIR_TOKEN=an-env-secret\n'
    const { tasks, on, machine, cwd, dataDir } = await remoteTasks(saysWhatItRan, {
      profile,
      tasks: { trustOf: (place) => ({ trustedRoot: place.cwd }) },
    })
    const file = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(machine.homeHere, name)), { recursive: true })
      writeFileSync(path.join(machine.homeHere, name), text)
    }
    file('.codex/auth.json', '{"OPENAI_API_KEY":"the login there"}')
    file('.ssh/id_ed25519', 'their key')
    file('project/.codex/config.toml', `[mcp_servers.spy]\ncommand = "touch"\nargs = ["${cwd}/started"]\n`)
    for (const folder of ['.codex', '.ssh', 'project']) await machine.own(folder)
    const config = readFileSync(`${machine.homeHere}/.codex/config.toml`, 'utf8')
    const start = (more: object) => tasks.start(on('true', more), ALICE)
    await expect(start({ policy: { sandbox: 'danger-full-access' } })).rejects.toMatchObject({
      code: 'folder-untrusted',
    })
    await expect(start({ codexHome: '/home/me/.codex' })).rejects.toThrow(
      /cannot be given a codex home of this/,
    )
    await expect(start({ account: 'work' })).rejects.toThrow(/cannot be given an account of this machine/)
    await expect(start({ tools: ['x'] })).rejects.toThrow(/cannot be given tools of this machine/)
    await expect(start({ cwd: `${cwd}/gone` })).rejects.toThrow(/there is no folder .* on box/)

    await tasks.addRule({ text: 'allow command touch' }, ALICE)
    const { id } = await tasks.start(on(`outside: touch ${machine.home}/made`), ALICE)
    const asked = await questionOf(tasks, id)
    expect(asked).toMatchObject({ proposedRule: null, question: { host: 'box', cwd } })
    expect(asked.question.choices.map(({ word }) => word)).not.toContain('always')
    await tasks.decide(asked.id, { answer: 'once' }, ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'idle')
    expect(existsSync(`${machine.homeHere}/made`)).toBe(true)

    const state = `${machine.home}/.local/state/drawbridge`
    const looks = [
      `cat ${machine.home}/.codex/auth.json ${machine.home}/.codex/config.toml ${machine.home}/.ssh/id_ed25519`,
      `ls ${machine.home}/.codex/sessions ${state} /tmp/codex-daemon-*`,
      'env | grep -i token; cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -i their; echo looked > here',
    ]
    const policy = { sandbox: 'workspace-write', network: true }
    for (const line of looks) {
      const task = await runTask(tasks, on(line, { policy }))
      expect(task).toMatchObject({ status: 'idle', effectivePolicy: { trust: 'untrusted' } })
      expect(task.result!.text).not.toMatch(/the login there|scripted|their key|an-env-secret|[0-9a-f]{12}/)
      expect(task.result!.text).toMatch(/Permission denied|exited with code 0|^$/)
    }
    for (const folder of ['out', 'out-sibling']) {
      mkdirSync(path.join(machine.homeHere, folder))
      await machine.own(folder)
    }
    const tries = ['out', 'out-sibling'].map(
      (name) => `touch ${machine.home}/${name}/x && echo wrote-${name}`,
    )
    const allow = [{ path: `${machine.home}/out`, access: 'rw' as const }]
    const domains = { allow, network: { domains: ['example.org'] } }
    const held = await runTask(
      tasks,
      on([...tries, 'env | grep -q ^HTTP_PROXY= && echo by-proxy', 'true'].join('; '), { policy: domains }),
    )
    expect(held.result!.text.match(/wrote-\S+|by-proxy/g)).toEqual(['wrote-out', 'by-proxy'])
    await expect(start({ policy: { confined: true } })).rejects.toThrow(/cannot be confined/)
    expect(readFileSync(`${machine.homeHere}/project/here`, 'utf8')).toBe('looked\n')
    expect(existsSync(`${machine.homeHere}/project/started`)).toBe(false)
    expect(readFileSync(`${machine.homeHere}/.codex/config.toml`, 'utf8')).toBe(config)
    // The login came after the app-server: another took its place.
    expect(readdirSync(path.join(dataDir, 'ssh/app-servers'))).toHaveLength(1)
  })
})
