import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  alive,
  couldBeHere,
  descendants,
  identify,
  isAlive,
  MARKER_VARIABLE,
  membersOfSession,
  type ProcessIdentity,
  processesWithMarker,
  sessionMembers,
  sessionName,
  signal,
} from './processes.ts'
import { until } from './until.ts'

function start(script: string, env: Record<string, string> = {}): ChildProcess & { pid: number } {
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
  })
  return child as ChildProcess & { pid: number }
}

async function descendantsOf(root: ProcessIdentity, count: number): Promise<ProcessIdentity[]> {
  await expect.poll(() => descendants(root)).toHaveLength(count)
  return descendants(root)
}

describe('identity', () => {
  it('holds while the process lives and ends with it', async () => {
    const child = start('exec sleep 300')
    const identity = identify(child.pid)!
    expect(isAlive(identity)).toBe(true)
    expect(identify(child.pid)).toEqual(identity)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(identity)).toBe(false)
    expect(identify(child.pid)).toBeNull()
  })

  it('does not take another process with the same pid for it, and never signals that one', () => {
    const child = start('exec sleep 300')
    const recycled = { pid: child.pid, start: `${identify(child.pid)!.start}0` }
    expect(isAlive(recycled)).toBe(false)
    expect(signal(recycled, 'SIGKILL')).toBe(false)
    expect(identify(child.pid)).not.toBeNull()
  })

  it('counts a zombie as dead', async () => {
    // `exec` makes sleep the parent of a child it does not know of and never reaps.
    const parent = start('sleep 0.3 & exec sleep 300')
    const identity = identify(parent.pid)!
    const children = await descendantsOf(identity, 1)
    expect(await until(() => alive(children).length === 0, 2000)).toBe(true)
    expect(await descendants(identity)).toEqual([])
  })

  it('tells one that cannot be here from one that has merely ended', () => {
    const { pid, start } = identify(process.pid)!
    expect(couldBeHere({ pid, start: `${start}0` })).toBe(true)
    if (process.platform === 'linux')
      expect(couldBeHere({ pid, start: 'another-boot/pid:[1]/7' })).toBe(false)
  })
})

describe('signal', () => {
  it('spares us and the first process', () => {
    expect(signal(identify(process.pid)!, 'SIGTERM')).toBe(false)
    expect(signal(identify(1) ?? { pid: 1, start: '' }, 'SIGTERM')).toBe(false)
  })
})

describe('descendants', () => {
  it('are found at any depth, also in sessions of their own', async () => {
    const root = start('setsid sh -c "sleep 300; true" & wait')
    const identity = identify(root.pid)!
    const found = await descendantsOf(identity, 2)
    expect(found).not.toContainEqual(identity)
    for (const child of found) signal(child, 'SIGKILL')
    expect(await until(() => alive(found).length === 0, 2000)).toBe(true)
  })

  it('of a process that is gone are none, though another has its pid', async () => {
    const root = start('sleep 300; true')
    const identity = identify(root.pid)!
    expect(await descendants({ pid: identity.pid, start: 'earlier' })).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('what an app-server leaves behind', () => {
  it('is found by the marker after it was reparented', async () => {
    const marker = `test-${process.pid}-${performance.now()}`
    const root = start('setsid -f sleep 300', { [MARKER_VARIABLE]: marker })
    await once(root, 'exit')
    // A process that is just becoming another program has no environment to be seen.
    await expect.poll(() => processesWithMarker(marker)).toHaveLength(1)
    const found = await processesWithMarker(marker)
    expect(await processesWithMarker(marker.slice(0, -1))).toEqual([])
    expect(signal(found[0]!, 'SIGKILL')).toBe(true)
  })

  it('is found by the session when its environment was cleared', async () => {
    const root = start('sleep 300 & sleep 0.05')
    const identity = identify(root.pid)!
    await once(root, 'exit')
    const found = await sessionMembers(identity)
    expect(found).toHaveLength(1)
    expect(signal(found[0]!, 'SIGKILL')).toBe(true)
  })

  it('is found by the name of the session long after, and not by that of another', async () => {
    const root = start('sleep 300 & sleep 0.05')
    const { pid } = root
    const name = sessionName(identify(pid)!)!
    await once(root, 'exit')
    const found = await membersOfSession(pid, name)
    expect(found.map(sessionName)).toEqual([name])
    expect(await membersOfSession(pid, `${name}0`)).toEqual([])
    expect(await membersOfSession(process.pid, name)).toEqual([])
    expect(signal(found[0]!, 'SIGKILL')).toBe(true)
    expect(sessionName({ pid: process.pid, start: 'earlier' })).toBeNull()
  })
})
