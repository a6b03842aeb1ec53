import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RawCodex } from '../../../test/support/raw-codex.ts'
import { type FakeScript, fake, fakeCodex } from '../index.ts'

const { on, reply, notify } = fake

async function start(script: FakeScript = {}) {
  const codex = await fakeCodex(script)
  onTestFinished(codex.remove)
  const app = new RawCodex(codex.path)
  onTestFinished(() => app.close())
  return { codex, app }
}

/** As `start`, past the handshake and with a thread. */
async function open(script: FakeScript = {}) {
  const { codex, app } = await start(script)
  return { codex, app, threadId: await app.open({ cwd: '/somewhere' }) }
}

const startTurn = (threadId: string) => ({ threadId, input: [{ type: 'text', text: 'hello' }] })

describe('by default', () => {
  it('tells its version, also without node on the PATH', async () => {
    const codex = await fakeCodex({ version: '0.142.5' })
    onTestFinished(codex.remove)
    const { stdout } = await promisify(execFile)(codex.path, ['--version'], { env: { PATH: '/nowhere' } })
    expect(stdout).toBe('codex-cli 0.142.5\n')
    expect(codex.events()).toEqual([])
  })

  it('refuses to be anything but an app-server', async () => {
    const codex = await fakeCodex()
    onTestFinished(codex.remove)
    await expect(promisify(execFile)(codex.path, ['exec', 'x'])).rejects.toMatchObject({ code: 2 })
  })

  it('shakes hands once', async () => {
    const { app } = await start()
    expect((await app.request('thread/start')).error!.message).toBe('Not initialized')
    expect((await app.request('initialize')).result.userAgent).toMatch(/^drawbridge_fake\/0\.166\.0 \(/)
    expect((await app.request('initialize')).error!.message).toBe('Already initialized')
  })

  it('runs a turn and remembers it', async () => {
    const { codex, app, threadId } = await open()
    const turn = await app.turn(threadId, 'hello')
    expect(turn).toMatchObject({ status: 'completed', items: [{ text: 'ok' }] })
    const { result } = await app.request('thread/read', { threadId, includeTurns: true })
    expect(result.thread).toMatchObject({ cwd: '/somewhere', turns: [{ id: turn.id, status: 'completed' }] })
    expect(codex.received().map(({ method }) => method)).toEqual([
      'initialize',
      'thread/start',
      'turn/start',
      'thread/read',
    ])
  })

  it('resumes a thread it has never seen, steers and interrupts', async () => {
    const { app } = await open({ steps: [on('turn/start', reply(), fake.turnStarted())] })
    const { result } = await app.request('thread/resume', { threadId: 'old' })
    expect(result.thread.id).toBe('old')
    const turnId = (await app.request('turn/start', startTurn('old'))).result.turn.id
    const steered = await app.request('turn/steer', { threadId: 'old', expectedTurnId: turnId, input: [] })
    expect(steered.result).toEqual({ turnId })
    expect((await app.request('turn/interrupt', { threadId: 'old', turnId })).result).toEqual({})
    const end = await app.wait(({ method }) => method === 'turn/completed')
    expect(end.params.turn).toMatchObject({ id: turnId, status: 'interrupted' })
  })

  it('refuses a method it does not know as codex does', async () => {
    const { app } = await open()
    expect((await app.request('no/such')).error).toMatchObject({ code: -32600 })
  })

  it.each(['SIGTERM', 'stdin'])('leaves quietly on %s', async (how) => {
    const { codex, app } = await open()
    const exited = once(app.child, 'exit')
    if (how === 'SIGTERM') app.child.kill('SIGTERM')
    else app.child.stdin.end()
    expect(await exited).toEqual([0, null])
    expect(codex.events().at(-1)!.event).toBe(how === 'SIGTERM' ? 'signal' : 'stdinEnded')
  })
})

describe('answers', () => {
  it('can be given, refused, given twice, given to nobody', async () => {
    const { app } = await open({
      steps: [
        on('a', reply({ you: 'are $threadId' })),
        on('b', fake.error(-32000, 'no', { why: 1 })),
        on('c', fake.duplicateReply({ n: 1 }), fake.unknownReply('nobody')),
      ],
    })
    expect((await app.request('a', { threadId: 't1' })).result).toEqual({ you: 'are t1' })
    expect((await app.request('b')).error).toEqual({ code: -32000, message: 'no', data: { why: 1 } })
    const { id } = await app.request('c')
    await app.wait((message) => message.id === 'nobody')
    expect(app.messages.filter((message) => message.id === id)).toHaveLength(2)
  })

  it('can come late without holding up others, or never', async () => {
    const { app } = await open({ steps: [on('a', fake.lateReply(50)), on('b', fake.noReply())] })
    app.send({ id: 'late', method: 'a' })
    app.send({ id: 'never', method: 'b' })
    app.send({ id: 'now', method: 'model/list' })
    await app.wait(({ id }) => id === 'late')
    const answered = app.messages.map(({ id }) => id).filter((id) => typeof id === 'string')
    expect(answered).toEqual(['now', 'late'])
  })

  it('say overloaded so many times, then as usual', async () => {
    const { app } = await open({ steps: [fake.overloaded('model/list', 2)] })
    const codes = []
    for (let call = 0; call < 3; call++) codes.push((await app.request('model/list')).error?.code)
    expect(codes).toEqual([-32001, -32001, undefined])
  })

  it('can differ from call to call', async () => {
    const { app } = await open({
      steps: [fake.once('model/list', reply('first')), fake.on('model/list', reply(2))],
    })
    const results = []
    for (let call = 0; call < 3; call++) results.push((await app.request('model/list')).result)
    expect(results).toEqual(['first', 2, 2])
  })
})

describe('turns', () => {
  it('can begin before turn/start is answered', async () => {
    const { app, threadId } = await open({
      steps: [on('turn/start', fake.completedTurn('hi', { early: true }))],
    })
    const { id, result } = await app.request('turn/start', startTurn(threadId))
    const { params } = await app.wait(({ method }) => method === 'turn/completed')
    expect(params).toMatchObject({ threadId, turn: { id: result.turn.id, items: [{ text: 'hi' }] } })
    const order = app.messages.map((message) => message.method ?? message.id)
    expect(order.indexOf('item/completed')).toBeLessThan(order.indexOf(id))
    expect(order.indexOf(id)).toBeLessThan(order.indexOf('turn/completed'))
  })

  it('can stream and can fail', async () => {
    const { app, threadId } = await open({
      steps: [
        fake.once('turn/start', fake.completedTurn('abc', { deltas: ['a', 'bc'] })),
        on('turn/start', fake.failedTurn({ message: 'broke', codexErrorInfo: 'serverOverloaded' })),
      ],
    })
    await app.turn(threadId, 'go')
    expect(app.all('item/agentMessage/delta').map(({ params }) => params.delta)).toEqual(['a', 'bc'])
    expect(await app.turn(threadId, 'go')).toMatchObject({ status: 'failed', error: { message: 'broke' } })
  })

  it('can ask, wait for the answer and use it', async () => {
    const ask = fake.request('item/tool/call', { threadId: '$threadId', turnId: '$turnId' }, 'ask-1')
    const { codex, app, threadId } = await open({
      steps: [
        on('turn/start', reply(), ask, fake.waitForAnswer('ask-1'), notify('told', { answer: '$answer' })),
      ],
    })
    const { result } = await app.request('turn/start', startTurn(threadId))
    const question = await app.wait(({ id }) => id === 'ask-1')
    expect(question.params).toEqual({ threadId, turnId: result.turn.id })
    app.send({ id: 'ask-1', result: { success: true } })
    expect((await app.wait(({ method }) => method === 'told')).params).toEqual({ answer: { success: true } })
    expect(codex.received().at(-1)).toEqual({ id: 'ask-1', result: { success: true } })
  })
})

describe('faults', () => {
  it('can write anything: half lines, no JSON, broken UTF-8, a line of any length', async () => {
    const { app } = await open({
      steps: [
        on('a', fake.raw('{"method":"ha'), fake.delay(1), fake.raw('lf"}\n'), fake.raw('not json\n')),
        on('b', fake.raw(new Uint8Array([0xff, 0xfe, 0x0a])), fake.oversize(100_000), reply()),
      ],
    })
    app.send({ id: 'a', method: 'a' })
    await app.wait(({ method }) => method === 'half')
    await app.wait(({ params }) => params === 'not json')
    await app.request('b')
    await app.wait(({ params }) => params === '\ufffd\ufffd')
    const long = app.all('fake/oversize')[0]!
    expect(JSON.stringify(long)).toHaveLength(100_000)
  })

  it('can exit after words on stderr, and crash with nothing lost', async () => {
    const exiting = await start({ onStart: [fake.stderr('cannot start\n'), fake.exit(7)] })
    expect(await once(exiting.app.child, 'close')).toEqual([7, null])
    expect(exiting.app.stderr).toBe('cannot start\n')
    const crashing = await open({ steps: [on('turn/start', reply(), notify('last', {}), fake.crash())] })
    const closed = once(crashing.app.child, 'close')
    crashing.app.send({ id: 'x', method: 'turn/start', params: startTurn(crashing.threadId) })
    expect(await closed).toEqual([null, 'SIGKILL'])
    expect(crashing.app.all('last')).toHaveLength(1)
  })

  it('takes the next script at each start', async () => {
    const codex = await fakeCodex([{ onStart: [fake.exit(1)] }, {}])
    onTestFinished(codex.remove)
    const codes = []
    for (let run = 0; run < 3; run++) {
      const child = spawn(codex.path, ['app-server'], { stdio: ['pipe', 'ignore', 'inherit'] })
      child.stdin.end()
      codes.push((await once(child, 'exit'))[0])
    }
    expect(codes).toEqual([1, 0, 0])
  })

  it('can ignore SIGTERM and the end of stdin', async () => {
    const { codex, app } = await open({ ignoreTerm: true })
    app.child.kill('SIGTERM')
    await codex.waitFor(({ event }) => event === 'signal')
    expect((await app.request('model/list')).result).toBeDefined()
    app.child.stdin.end()
    await codex.waitFor(({ event }) => event === 'stdinEnded')
    expect(app.child.exitCode).toBeNull()
  })

  it('can leave a child behind that holds its stdout', async () => {
    const { codex, app } = await open({
      steps: [on('a', fake.spawnChild({ holdStdout: true }), fake.exit(0))],
    })
    const exited = once(app.child, 'exit')
    const closed = once(app.child, 'close')
    app.send({ id: 1, method: 'a' })
    await exited
    const started = codex.events().find((event) => event.event === 'childStarted')!
    expect(process.kill(started.childPid, 0)).toBe(true)
    await codex.remove()
    await closed
  })

  it('keeps what it was sent when that was no JSON', async () => {
    const { codex, app } = await start()
    app.child.stdin.write('{oops\n')
    expect(await codex.waitFor(({ event }) => event === 'garbage')).toMatchObject({ text: '{oops' })
    await expect(codex.waitFor(() => false, { timeoutMs: 1 })).rejects.toThrow('no such event in 1 ms')
  })
})
