// Threads whose commands run on another machine: the real app-server here, the real exec-server there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Question, Thread, TurnOptions } from '../../src/codex/index.ts'
import {
  applyPatch,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { environmentOf, startOtherMachine } from '../support/exec-server.ts'
import { openClient } from '../support/open-client.ts'

/** Runs what the message says and says what came of it. */
function runs(request: ModelRequest) {
  const text = lastUserText(request) ?? ''
  const since = request.body.input.findLastIndex((item) => JSON.stringify(item).includes('input_text'))
  const outputs = toolOutputs(request).filter(({ callId }) => callId === `call-${since}`)
  if (outputs.length > 0) return message(outputs.map(({ text: told }) => told).join('\n'))
  const callId = `call-${since}`
  if (text.startsWith('*** Begin Patch')) return applyPatch(text, { callId })
  if (text.startsWith('outside: ')) return shell(text.slice(9), { callId, escalate: 'needs it' })
  return shell(text, { callId, arguments: { yield_time_ms: 10_000 } })
}

async function openStage() {
  const machine = await startOtherMachine()
  const questions: Question[] = []
  const client = await openClient(runs, {
    client: {
      experimental: true,
      onApproval: (question) => {
        questions.push(question)
        return 'once'
      },
    },
    host: { protect: [] },
  })
  const localFolder = path.join(client.home.path, 'empty')
  mkdirSync(localFolder)
  const login = path.join(machine.home, '.codex', 'auth.json')
  mkdirSync(path.dirname(login), { recursive: true })
  writeFileSync(login, 'their login')
  const environment = environmentOf(machine, { localFolder, protectedPaths: [login] })
  const place = { environment, cwd: machine.cwd }
  return { ...client, machine, questions, environment, place, login }
}

async function said(thread: Thread, text: string, options: TurnOptions = {}): Promise<string> {
  const outcome = await (await thread.startTurn(text, options)).outcome
  return outcome.text ?? outcome.status
}

const WHO = 'echo "$MACHINE, $THEIR_TOKEN"'

describe('a thread on another machine', () => {
  it('works there, with the rights of its policy, and cannot read logins or keys there', async () => {
    const { codex, place, machine, login } = await openStage()
    const thread = await codex.startThread({ ...place, sandbox: 'workspace-write' })
    expect(thread.settings.cwd).toBe(machine.cwd)
    expect(await said(thread, `${WHO}; pwd; cat ${login} 2>&1`)).toMatch(
      new RegExp(`the other one, \n${machine.cwd}\n.*Permission denied`),
    )
    await said(thread, `touch made ${machine.home}/not-made`)
    expect([existsSync(`${machine.cwd}/made`), existsSync(`${machine.home}/not-made`)]).toEqual([true, false])
    expect(await said(thread, 'touch again && echo written', { sandbox: 'read-only' })).toContain('Read-only')
  })

  it('changes files there, and asks with the name of the machine', async () => {
    const { codex, place, machine, questions, login } = await openStage()
    writeFileSync(`${machine.cwd}/a.txt`, 'old\n')
    const thread = await codex.startThread({ ...place, sandbox: 'workspace-write' })
    const patch = '*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** End Patch'
    const turn = await thread.startTurn(patch)
    await turn.outcome
    expect(readFileSync(`${machine.cwd}/a.txt`, 'utf8')).toBe('new\n')
    expect([...turn.items.values()].map(({ type }) => type)).toContain('fileChange')
    expect(await said(thread, `outside: touch ${machine.home}/made; cat ${login}`)).toContain(
      'Permission denied',
    )
    expect(existsSync(`${machine.home}/made`)).toBe(true)
    expect(questions).toMatchObject([{ kind: 'command', host: 'box', cwd: machine.cwd }])
  })

  it('stays there, with what it may touch there, on a fork, and when another codex process resumes it', async () => {
    const { codex, open, place, machine } = await openStage()
    for (const name of ['out', 'out-sibling']) mkdirSync(path.join(machine.home, name))
    const allow = [{ path: path.join(machine.home, 'out'), access: 'rw' as const }]
    const here = { ...place, allow }
    const write = `${WHO}; for f in out out-sibling; do touch ${machine.home}/$f/x && echo wrote-$f; done; true`
    const only = (told: string) => {
      expect(told).toContain('the other one')
      expect(told.match(/wrote-\S+/g)).toEqual(['wrote-out'])
    }
    for (const other of [{ confined: true }, { network: { domains: ['example.org'] } }])
      await expect(codex.startThread({ ...place, ...other })).rejects.toMatchObject({ code: 'bad-access' })
    const thread = await codex.startThread(here)
    only(await said(thread, write))
    only(await said(await codex.forkThread(thread.id, here), write))
    await codex.close()
    only(await said(await (await open()).resumeThread(thread.id, here), write))
  })

  it('has its codex for itself: threads that work elsewhere are refused there, whichever came first', async () => {
    const { codex, open, place, cwd, environment } = await openStage()
    const thread = await codex.startThread(place)
    const refused = { code: 'other-place' }
    await expect(codex.startThread({ cwd })).rejects.toMatchObject(refused)
    await expect(codex.resumeThread(thread.id)).rejects.toMatchObject(refused)
    await expect(codex.forkThread(thread.id, { cwd })).rejects.toMatchObject(refused)
    const elsewhere = { ...place, environment: { ...environment, name: 'far' } }
    await expect(codex.startThread(elsewhere)).rejects.toMatchObject(refused)
    expect(await said(thread, WHO)).toContain('the other one')
    const local = await open()
    await local.startThread({ cwd })
    await expect(local.startThread(place)).rejects.toMatchObject(refused)
  })

  it('is not under the trust and the settings of a folder with the same path here', async () => {
    const { codex, place, machine, home } = await openStage()
    mkdirSync(`${machine.cwd}/.codex`)
    const server = `[mcp_servers.spy]\ncommand = "touch"\nargs = ["${machine.home}/started"]\n`
    writeFileSync(`${machine.cwd}/.codex/config.toml`, server)
    const before = readFileSync(`${home.path}/config.toml`, 'utf8')
    const thread = await codex.startThread({ ...place, sandbox: 'workspace-write' })
    await said(thread, WHO)
    expect(existsSync(`${machine.home}/started`)).toBe(false)
    expect(readFileSync(`${home.path}/config.toml`, 'utf8')).toBe(before)
  })
})

describe('a machine that is away', () => {
  it('is told of before anything begins, and a turn can be started when it is back', async () => {
    const { codex, place, machine } = await openStage()
    const thread = await codex.startThread(place)
    await said(thread, WHO)
    await machine.kill()
    await expect(codex.startThread(place)).rejects.toMatchObject({
      code: 'host-unreachable',
      retryable: true,
    })
    await machine.start()
    expect(await said(thread, WHO)).toContain('the other one')
    expect(await said(await codex.startThread(place), WHO)).toContain('the other one')
  })

  it('costs the command that ran, not the turn', async () => {
    const { codex, place, machine } = await openStage()
    const thread = await codex.startThread(place)
    const turn = await thread.startTurn('echo begun; sleep 60')
    for await (const { method } of turn) if (method === 'item/commandExecution/outputDelta') break
    await machine.kill()
    await machine.start()
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
    expect(await said(thread, WHO)).toContain('the other one')
  })

  it('needs a folder that is there', async () => {
    const { codex, place, machine } = await openStage()
    const gone = codex.startThread({ ...place, cwd: `${machine.cwd}/gone` })
    await expect(gone).rejects.toMatchObject({ code: 'bad-input', field: 'cwd' })
  })
})
