// What an embedding program is told: of a turn it leaves running, of a limit, of what it gave that cannot work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { hasCode, openCodex, toFailure } from '../../src/codex/index.ts'
import { webSocketHost } from '../../src/hosts/index.ts'
import {
  httpError,
  lastUserText,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  message,
  slow,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { eventually } from '../faults/processes.ts'
import { openClient } from '../support/open-client.ts'
import { bundledCodex } from '../support/raw-codex.ts'

/** A real app-server of somebody else, on a unix socket. */
async function listening(script: ModelScript) {
  const model = await startScriptedModel(script)
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  const socketPath = path.join(home.path, 's.sock')
  const child = spawn(bundledCodex(), ['app-server', '--listen', `unix://${socketPath}`], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CODEX_HOME: home.path },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await Promise.all([model.close(), home.remove(), workspace.remove()])
  })
  await eventually(() => existsSync(socketPath), 'codex listens', 20_000)
  return { host: webSocketHost({ socketPath }), model, child, socketPath, cwd: workspace.path }
}

describe('close() on a socket', () => {
  it('leaves a turn that goes on, and says so; whoever resumes the thread sees it end', async () => {
    const release = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { host, cwd } = await listening(async () => {
      asked.resolve()
      await release.promise
      return message('done without you')
    })
    const codex = await openCodex(host)
    const thread = await codex.startThread({ cwd })
    const turn = await thread.startTurn('go on')
    await asked.promise
    await codex.close()
    expect(await turn.outcome).toMatchObject({ status: 'detached', threadId: thread.id, turnId: turn.id })
    // Iterating ends without an error: nothing was lost.
    for await (const _ of turn) expect(_.method).toEqual(expect.any(String))

    const again = await openCodex(host)
    onTestFinished(() => again.close())
    const resumed = await again.resumeThread(thread.id, thread.policy)
    expect(resumed.joinedTurn?.id).toBe(turn.id)
    release.resolve()
    expect(await resumed.joinedTurn!.outcome).toMatchObject({ status: 'completed', text: 'done without you' })
  })

  it('is not what happened when the connection broke: then the turn is lost, and may be resumed', async () => {
    const asked = Promise.withResolvers<void>()
    const { host, cwd, child } = await listening(() => {
      asked.resolve()
      return [slow(60_000), message('never')]
    })
    const codex = await openCodex(host)
    onTestFinished(() => codex.close())
    const turn = await (await codex.startThread({ cwd })).startTurn('go')
    await asked.promise
    child.kill('SIGKILL')
    const outcome = await turn.outcome
    expect(outcome).toMatchObject({
      status: 'lost',
      error: { code: 'unreachable', retryable: true, resumable: true },
    })
    if (outcome.status === 'lost') expect(outcome.error.hint).not.toContain('model provider')
    const dead = await openCodex(host).catch(toFailure)
    expect(dead).toMatchObject({
      code: 'unreachable',
      hint: 'start one there with `codex app-server --listen …`, or check the address',
    })
  })
})

describe('a limit', () => {
  it('has the time that resets_at says, though codex hands it on only in words', async () => {
    const resetsAt = Math.floor(Date.now() / 1_000) + 26 * 3_600
    const error = { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt }
    const { codex, cwd } = await openClient([[httpError(429, { error })]])
    const outcome = await (await (await codex.startThread({ cwd })).startTurn('hi')).outcome
    if (outcome.status !== 'failed') throw new Error(`it is ${outcome.status}`)
    expect(outcome.error.code).toBe('usage-limit')
    const lateS = outcome.error.resetAt!.getTime() / 1_000 - resetsAt
    expect(lateS).toBeGreaterThan(0)
    expect(lateS).toBeLessThanOrEqual(60)
  })
})

describe('what cannot work is refused before codex sees it', () => {
  it('a folder, an image, an effort, a schema', async () => {
    const { codex, cwd, model } = await openClient([[message('fine')]])
    const file = path.join(cwd, 'a-file')
    writeFileSync(file, '')
    const refused = async (work: Promise<unknown>) => {
      const error = await work.catch((reason: unknown) => reason)
      if (!hasCode(error, 'bad-input')) throw new Error(`not refused: ${error}`)
      return { field: (error as { field?: string }).field, message: error.message }
    }
    const gone = path.join(cwd, 'gone')
    const noFolder = { field: 'cwd', message: expect.stringContaining(`there is no folder ${gone}`) }
    expect(await refused(codex.startThread({ cwd: gone }))).toEqual(noFolder)
    expect(await refused(codex.resumeThread('any', { cwd: gone }))).toEqual(noFolder)
    expect(await refused(codex.startThread({ cwd: file }))).toMatchObject({
      message: expect.stringContaining('is not a folder'),
    })
    expect(await refused(codex.startThread({ cwd, effort: 'hgih' }))).toEqual({
      field: 'effort',
      message: expect.stringMatching(/^there is no reasoning effort "hgih": these are: none, .*\bhigh\b/),
    })

    const thread = await codex.startThread({ cwd, effort: 'high' })
    expect(await refused(thread.startTurn('hi', { cwd: gone }))).toEqual(noFolder)
    expect(await refused(thread.startTurn('hi', { effort: 'hgih' }))).toMatchObject({ field: 'effort' })
    const image = (at: string) => [{ type: 'localImage', path: at }] as const
    expect(await refused(thread.startTurn(image(gone)))).toEqual({
      field: 'input',
      message: `there is no image file ${gone}`,
    })
    expect(await refused(thread.startTurn(image(cwd)))).toMatchObject({ field: 'input' })
    const schema = z.object({}) as never
    expect(await refused(thread.startTurn('hi', { outputSchema: schema }))).toMatchObject({
      field: 'outputSchema',
    })

    expect(model.requests).toHaveLength(0)
    expect(await (await thread.startTurn('hi')).outcome).toMatchObject({ status: 'completed', text: 'fine' })
  })

  it('but not an effort that this codex lists, nor a file of a machine nobody here can look at', async () => {
    const { codex, cwd, model } = await openClient((call) => message(`heard ${lastUserText(call)}`), {
      wrapHost: ({ name, open }) => ({ name, open }),
    })
    const listed = new Set<string>()
    for await (const { supportedReasoningEfforts } of codex.list('model/list', { includeHidden: true }))
      for (const { reasoningEffort } of supportedReasoningEfforts) listed.add(reasoningEffort)
    expect(listed.size).toBeGreaterThan(3)
    const thread = await codex.startThread({ cwd: path.join(cwd, 'elsewhere') })
    for (const effort of listed) {
      const turn = await thread.startTurn('hi', { effort })
      expect(await turn.outcome).toMatchObject({ status: 'completed' })
    }
    const elsewhere = [{ type: 'localImage', path: '/elsewhere.png' }] as const
    expect(await (await thread.startTurn(elsewhere)).outcome).toMatchObject({ status: 'completed' })
    expect(model.requests).toHaveLength(listed.size + 1)
  })
})

describe('an output schema', () => {
  it('is what zod makes of a schema, and the answer is there to be parsed', async () => {
    const Verdict = z.object({ verdict: z.enum(['good', 'bad']) })
    const { codex, cwd, model } = await openClient([[message('{"verdict":"good"}')]])
    const thread = await codex.startThread({ cwd })
    const outcome = await (await thread.startTurn('judge', { outputSchema: z.toJSONSchema(Verdict) })).outcome
    if (outcome.status !== 'completed' || !outcome.output || !('value' in outcome.output))
      throw new Error('there is no answer')
    expect(Verdict.parse(outcome.output.value)).toEqual({ verdict: 'good' })
    expect(model.requests[0]!.body).toMatchObject({
      text: { format: { schema: { properties: { verdict: { enum: ['good', 'bad'] } } } } },
    })
  })
})
