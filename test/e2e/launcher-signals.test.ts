// On a Node that is too old the launcher runs the CLI as a child. One signal must end the turn, once, whoever gets it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeCodexHome, makeWorkspace, message, shell, startScriptedModel } from '../../src/testing/index.ts'
import { onOldNode } from '../support/old-node.ts'
import { jsonLines } from '../support/run-cli.ts'
import { runInTerminal } from '../support/run-in-terminal.ts'

const RUN = ['run', '--sandbox', 'workspace-write']

async function place() {
  const model = await startScriptedModel([
    [shell('echo begun; sleep 60', { arguments: { yield_time_ms: 30_000 } })],
    [message('never')],
  ])
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  onTestFinished(async () => {
    await model.close()
    await Promise.all([home.remove(), workspace.remove()])
  })
  const env = { CODEX_HOME: home.path, DRAWBRIDGE_HOME: path.join(home.path, 'drawbridge'), NO_COLOR: '1' }
  return { env, cwd: workspace.path }
}

/** Signals it while its command runs, and waits for the end. */
async function signalled(send: (pid: number) => void) {
  const { env, cwd } = await place()
  const [node, ...args] = onOldNode([...RUN, '--json', '-'])
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, ...env },
    // A process group of its own, to signal all of it.
    detached: true,
    timeout: 40_000,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close') as Promise<[number | null]>
  const errors = text(child.stderr)
  let stdout = ''
  const begun = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    if (/"method":"item\/started".*sleep 60/.test(stdout)) begun.resolve()
  })
  child.stdin.end('go')
  await Promise.race([begun.promise, closed])
  send(child.pid!)
  const [code] = await closed
  return { code, last: jsonLines(stdout).at(-1), stderr: await errors }
}

describe('the launcher on an old Node', () => {
  it('ends the turn on Ctrl-C at a terminal while stdin is a pipe', async () => {
    const { env, cwd } = await place()
    const line = onOldNode([...RUN, '-'])
    const run = runInTerminal(line, { env, cwd, before: 'echo go |', program: [] })
    await run.shows('sleep 60')
    run.type('\u0003')
    const { code, screen } = await run.ended()
    expect(screen).toContain('interrupted')
    expect(code).toBe(130)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends the turn when it alone gets %s', async (signal) => {
    const { code, last, stderr } = await signalled((pid) => process.kill(pid, signal))
    expect({ code, last, stderr }).toMatchObject({
      code: 130,
      last: { type: 'result', status: 'interrupted' },
    })
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends the turn once when both get %s', async (signal) => {
    const { code, last, stderr } = await signalled((pid) => process.kill(-pid, signal))
    expect({ code, last, stderr }).toMatchObject({
      code: 130,
      last: { type: 'result', status: 'interrupted' },
    })
  })
})
