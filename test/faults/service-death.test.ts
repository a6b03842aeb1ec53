// The service is killed, or codex, or both: what runs goes on where it can, and nothing is left where it cannot.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCodex } from '../../src/codex/index.ts'
import { reapOrphans } from '../../src/hosts/index.ts'
import { message, shell } from '../../src/testing/index.ts'
import { eventually, identityOf, taggedRunning, within } from './processes.ts'
import { serviceStage } from './service-stage.ts'

const STREAM = message('tick ', { count: 300, delayMs: 20 })

/** An MCP server that will not end, for a config.toml, and its pid once it runs. */
function stubbornMcpServer(onTestFinished: (remove: () => void) => void): {
  readonly toml: string
  pid(): number | null
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const pidFile = path.join(folder, 'pid')
  const toml = [
    '[mcp_servers.stubborn]',
    `command = ${JSON.stringify(process.execPath)}`,
    `args = [${JSON.stringify(path.resolve('test/fixtures/stubborn-mcp-server.mjs'))}]`,
    `env = { MCP_LOG = "/dev/null", MCP_PID_FILE = ${JSON.stringify(pidFile)} }`,
  ]
  const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : null)
  return { toml: `${toml.join('\n')}\n`, pid }
}

describe.concurrent('kill -9 of the service', () => {
  it('while a turn streams: the next service takes codex over, and the turn completes', async () => {
    await using stage = await serviceStage([STREAM])
    const service = await stage.service()
    await service.kill()
    expect(await reapOrphans(path.join(stage.dataDir, 'app-servers'))).toEqual([])
    expect(identityOf(service.pid)).not.toBeNull()

    const pool = stage.pool()
    const [adopted, ...others] = await pool.adopt({})
    expect(others).toEqual([])
    expect(adopted).toMatchObject({ key: stage.key, outlivesUs: true, isDraining: false })
    expect(await pool.get(stage.key, {})).toBe(adopted)
    const codex = await openCodex(adopted!.host)
    expect(codex.pid).toBe(service.pid)
    const completed = new Promise<string>((resolve) => {
      codex.subscribe(({ method, params }) => {
        if (method === 'turn/completed') resolve(params.turn.status)
      })
    })
    const thread = await codex.resumeThread(service.threadId)
    const { data } = await codex.request('thread/turns/list', { threadId: thread.id })
    expect(data[0]).toMatchObject({ id: service.turnId, status: 'inProgress' })
    expect(await within(20_000, completed)).toBe('completed')
    await codex.close()
  })

  it('and a codex that finishes meanwhile: its answer is there for the next service', async () => {
    await using stage = await serviceStage([message('done alone')])
    const service = await stage.service()
    await service.kill()
    await using codex = await openCodex((await stage.pool().adopt({}))[0]!.host)
    const lastTurn = async () => {
      const read = { threadId: service.threadId, includeTurns: true }
      return (await codex.request('thread/read', read)).thread.turns.at(-1)!
    }
    await within(
      10_000,
      repeat(lastTurn, ({ status }) => status === 'completed'),
    )
    expect(JSON.stringify((await lastTurn()).items)).toContain('done alone')
  })

  it('before it knew the pid of codex: the next one finds it by its marker', async () => {
    await using stage = await serviceStage([STREAM])
    const service = await stage.service()
    await service.kill()
    const file = path.join(stage.dataDir, 'app-servers', stage.records()[0]!)
    const record = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...record, pid: 0, start: '', session: null }))
    expect(await stage.pool().adopt({})).toEqual([])
    stage.expectNothingLeft()
  })

  it('and of codex, with a command and an MCP server that will not end: nothing is left', async ({
    onTestFinished,
  }) => {
    const mcp = stubbornMcpServer(onTestFinished)
    await using stage = await serviceStage([shell('sleep 300')], { toml: mcp.toml })
    const service = await stage.service()
    await eventually(() => taggedRunning(stage.tag, 'sleep 300').length > 0, 'the command runs')
    await eventually(() => mcp.pid() !== null, 'the MCP server runs')
    await service.kill()
    process.kill(service.pid, 'SIGKILL')
    await eventually(() => identityOf(service.pid) === null, 'codex is gone')
    expect(identityOf(mcp.pid()!)).not.toBeNull()
    expect(await stage.pool().adopt({})).toEqual([])
    expect(identityOf(mcp.pid()!)).toBeNull()
    stage.expectNothingLeft()
  })
})

describe.concurrent('kill -9 of codex', () => {
  it('is told with its signal and last words; command and MCP server go; the record too', async ({
    onTestFinished,
  }) => {
    const mcp = stubbornMcpServer(onTestFinished)
    await using stage = await serviceStage([shell('sleep 300')], { toml: mcp.toml })
    const appServer = await stage.pool().get(stage.key, {})
    const codex = await openCodex(appServer.host)
    const thread = await codex.startThread({ cwd: stage.cwd, sandbox: 'workspace-write' })
    const turn = await thread.startTurn('go')
    await eventually(() => taggedRunning(stage.tag, 'sleep 300').length > 0, 'the command runs')
    await eventually(() => mcp.pid() !== null, 'the MCP server runs')
    process.kill(codex.pid!, 'SIGKILL')
    const outcome = await within(5_000, turn.outcome)
    expect(outcome).toMatchObject({
      status: 'lost',
      error: { code: 'codex-crashed', message: 'codex was ended by SIGKILL' },
    })
    const { reason, stderrTail } = await within(10_000, appServer.ended)
    expect(reason).toMatch(/^codex was ended by SIGKILL; it last said: ./)
    expect(stderrTail.length).toBeGreaterThan(0)
    expect(appServer.isAlive()).toBe(false)
    expect(identityOf(mcp.pid()!)).toBeNull()
    stage.expectNothingLeft()
    await codex.close()
  })

  it('that was taken over is noticed too', async () => {
    await using stage = await serviceStage([STREAM])
    const service = await stage.service()
    await service.kill()
    const [adopted] = await stage.pool().adopt({})
    process.kill(service.pid, 'SIGKILL')
    expect((await within(10_000, adopted!.ended)).reason).toContain(`codex (pid ${service.pid}) is gone`)
    stage.expectNothingLeft()
  })
})

async function repeat<T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<void> {
  while (!isEnough(await ask()));
}
