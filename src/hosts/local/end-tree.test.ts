import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { identify, MARKER_VARIABLE, processesWithMarker, signal } from '../processes.ts'
import { endTree, type TreeRoot } from './end-tree.ts'

/** A shell script as the app-server; it has to print a line when it is ready. */
async function start(script: string): Promise<{ root: TreeRoot; child: ChildProcess }> {
  const marker = `end-tree-${process.pid}-${performance.now()}`
  const child = spawn('sh', ['-c', script], {
    env: { PATH: process.env.PATH, [MARKER_VARIABLE]: marker },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(async () => {
    for (const left of await processesWithMarker(marker)) signal(left, 'SIGKILL')
  })
  await once(createInterface({ input: child.stdout }), 'line')
  const root = {
    identity: identify(child.pid!),
    marker,
    hasSession: true,
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    endInput: () => void child.stdin.end(),
    signal: (name: NodeJS.Signals) => child.kill(name),
  }
  return { root, child }
}

describe('ending a tree', () => {
  it('only ends the input of one that leaves by itself', async () => {
    const { root, child } = await start('trap "exit 9" TERM; echo ready; read line; exit 4')
    expect(await endTree(root)).toEqual({ leftovers: [], survivors: [] })
    expect(child.exitCode).toBe(4)
  })

  it('asks with SIGTERM next', async () => {
    const { root, child } = await start('echo ready; exec sleep 300')
    expect(await endTree(root)).toEqual({ leftovers: [], survivors: [] })
    expect(child.signalCode).toBe('SIGTERM')
  })

  it('kills what ignores both, and finds what it started since', async () => {
    const late = 'trap "" HUP; sleep 0.35; setsid sh -c "trap \\"\\" TERM; exec sleep 300"'
    const { root, child } = await start(`trap "" TERM; (${late}) & echo ready; while :; do sleep 0.05; done`)
    const { leftovers, survivors } = await endTree(root, { termMs: 300, leftoverTermMs: 200 })
    expect(child.signalCode).toBe('SIGKILL')
    expect(leftovers.length).toBeGreaterThan(0)
    expect(survivors).toEqual([])
    expect(await processesWithMarker(root.marker)).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'ends what the dead left behind, also when that goes on forking',
    async () => {
      const forking = 'trap "" TERM; while :; do sleep 0.01 & wait; done'
      const { root, child } = await start(`setsid -f sh -c '${forking}'; echo ready`)
      if (!root.isGone()) await once(child, 'exit')
      const { leftovers, survivors } = await endTree(root, { termMs: 300, leftoverTermMs: 200 })
      expect(leftovers.length).toBeGreaterThan(0)
      expect(survivors).toEqual([])
      expect(await processesWithMarker(root.marker)).toEqual([])
    },
  )
})
