// We are killed: codex ends by itself, or is found and ended by whoever starts one next.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fake, shell } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { eventually, identityOf, taggedRunning, within } from './processes.ts'
import { realHost } from './real-host.ts'
import type { WatchedHost } from './watched-host.ts'

describe.concurrent('kill -9 of our own process', () => {
  it('ends the real codex; a command that outlives it is ended by the next start', async () => {
    await using host = await realHost(shell('sleep 300'))
    const codexPid = await ownedAndKilled(host, host.cwd, 'sleep 300')
    await eventually(() => identityOf(codexPid) === null, 'codex is gone')
    expect(readdirSync(host.registryDir)).toHaveLength(1)
    // Mostly codex (0.166) takes its command along, but not always.
    const codex = await host.open()
    await eventually(() => taggedRunning(host.tag, 'sleep 300').length === 0, 'the command is gone')
    await eventually(() => readdirSync(host.registryDir).length === 1, 'only the living one is on record')
    await codex.close()
    host.expectNothingLeft()
  })

  it('leaves a codex that will not end, and its child, to be reaped by the next start', async () => {
    const running = [fake.spawnChild({ holdStdout: true }), fake.reply(), ...fake.turnStarted()]
    await using host = await fakeHost([{ ignoreTerm: true, steps: [fake.on('turn/start', running)] }, {}])
    const codexPid = await ownedAndKilled(host, process.cwd(), 'setInterval')
    const orphans = [codexPid, await host.childPid()]
    await host.program.waitFor(({ event }) => event === 'stdinEnded')
    expect(orphans.map((pid) => identityOf(pid) !== null)).toEqual([true, true])
    expect(readdirSync(host.registryDir)).toHaveLength(1)

    const codex = await host.open()
    expect(await (await (await codex.startThread()).startTurn('go')).outcome).toMatchObject({
      status: 'completed',
    })
    await eventually(() => orphans.every((pid) => identityOf(pid) === null), 'the orphans are reaped')
    expect(identityOf(codex.pid!)).not.toBeNull()
    await eventually(() => readdirSync(host.registryDir).length === 1, 'only the living one is on record')
  })
})

/** Starts a program that uses the library, kills it as soon as this runs below it, and gives the pid of its codex. */
async function ownedAndKilled(host: WatchedHost, cwd: string, running: string): Promise<number> {
  const script = fileURLToPath(new URL('owner.mjs', import.meta.url))
  const owner = spawn(process.execPath, [script, JSON.stringify({ host: host.hostOptions, cwd })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await within(15_000, once(owner.stdout, 'data'))) as [Buffer]
  await eventually(() => taggedRunning(host.tag, running).length > 0, `${running} runs`)
  const exited = once(owner, 'exit')
  owner.kill('SIGKILL')
  await exited
  return Number(line)
}
