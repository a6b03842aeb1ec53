import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hang, lastUserText, message, shell } from '../../src/testing/index.ts'
import type { Subject } from './conformance.ts'
import { runTurn, TURN_TIMEOUT_MS, until } from './run-turn.ts'

const timeoutMs = TURN_TIMEOUT_MS

export function controlConforms({ version, expected, open }: Subject): void {
  describe('control', () => {
    it('steers a turn while a command runs: the model sees both in the same turn', async () => {
      const { codex, cwd, model } = await open([
        [shell('while [ ! -e go ]; do sleep 0.05; done; echo went')],
        [message('steered')],
      ])
      const clientIds: unknown[] = []
      codex.subscribe(({ method, params }) => {
        if (method !== 'item/completed' || params.item.type !== 'userMessage') return
        clientIds.push(params.item.clientId ?? null)
      })
      const turn = await (await codex.startThread({ cwd })).startTurn('run', { timeoutMs })
      for await (const { method, params } of turn) {
        if (method === 'item/started' && params.item.type === 'commandExecution') break
      }
      await turn.steer('be brief', { clientMessageId: 'mine-1' })
      writeFileSync(path.join(cwd, 'go'), '')
      expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'steered', turnId: turn.id })
      expect(lastUserText(model.requests[1]!)).toBe('be brief')
      expect(clientIds).toEqual([null, expected.echoesClientMessageId ? 'mine-1' : null])
      expect(JSON.stringify(model.requests[1]!.body.input)).toContain('went')
    })

    it('steers a turn while the model speaks', async () => {
      const { codex, cwd, model } = await open([
        [message(['half', ' of', ' a', ' book'], { delayMs: 200 })],
        [message('steered')],
      ])
      const turn = await (await codex.startThread({ cwd })).startTurn('write a book', { timeoutMs })
      await until(turn, 'item/agentMessage/delta')
      await turn.steer('a short one')
      expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'steered', turnId: turn.id })
      expect(lastUserText(model.requests[1]!)).toBe('a short one')
      const heard = JSON.stringify(model.requests[1]!.body.input).includes('half of a book')
      expect(heard).toBe(!expected.steerCutsStream)
    })

    it('refuses to steer a turn that has ended', async () => {
      const { codex, cwd } = await open([[message('over')]])
      const { turn } = await runTurn(await codex.startThread({ cwd }), 'hi')
      await expect(turn.steer('too late')).rejects.toMatchObject({ code: 'rpc-error', rpcCode: -32600 })
    })

    it('interrupts a turn, and the thread takes another', async () => {
      const { codex, cwd } = await open([[message('half'), hang()], [message('next')]])
      const thread = await codex.startThread({ cwd })
      const turn = await thread.startTurn('never ends', { timeoutMs })
      await until(turn, 'item/agentMessage/delta')
      await Promise.all([turn.interrupt(), turn.interrupt()])
      expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
      expect((await runTurn(thread, 'go on')).outcome).toMatchObject({ status: 'completed', text: 'next' })
    })

    it('ends a turn at its deadline', async () => {
      const { codex, cwd } = await open([[hang()]])
      const thread = await codex.startThread({ cwd })
      const { outcome } = await runTurn(thread, 'slow', { timeoutMs: 300 })
      expect(outcome).toMatchObject({ status: 'timed-out', timeoutMs: 300 })
    })

    it('learns at once that codex does not know a method', async () => {
      const { codex } = await open([])
      await expect(codex.request('no/such/method' as never, {} as never)).rejects.toMatchObject({
        code: 'unsupported',
        message: `no/such/method is unsupported by codex ${version}`,
      })
      expect(await codex.request('thread/loaded/list', {})).toMatchObject({ data: [] })
    })
  })
}
