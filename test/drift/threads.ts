import { describe, expect, it } from 'vitest'
import { applyPatch, message, shell, usage } from '../../src/testing/index.ts'
import type { Subject } from './conformance.ts'
import { runTurn } from './run-turn.ts'

export function threadsConform({ expected, open: openHome }: Subject): void {
  describe('a thread', () => {
    it('says what is in force: read-only and asking, unless told otherwise', async () => {
      const { codex, cwd } = await openHome([])
      const { settings } = await codex.startThread({ cwd })
      expect(settings).toMatchObject({ approvalPolicy: 'on-request', sandbox: { type: 'readOnly' }, cwd })
    })

    it('never gets another sandbox than the profile that was named', async () => {
      const home = { config: { sandbox_mode: 'danger-full-access' } }
      const { codex, cwd } = await openHome([], { client: { experimental: true }, home })
      const sandbox = await codex.startThread({ cwd, permissions: ':read-only' }).then(
        ({ settings }) => settings.sandbox.type,
        () => 'refused',
      )
      expect(sandbox).toBe(expected.namedReadOnlyProfile)
    })

    it('resumes in a new process, and the model sees what was said before', async () => {
      const { codex, cwd, open, model } = await openHome([
        [message('I am one'), usage({ input: 1_000, output: 100 })],
        [message('I am two'), usage({ input: 20, output: 2 })],
      ])
      const thread = await codex.startThread({ cwd })
      await runTurn(thread, 'who?')
      await codex.close()
      const resumed = await (await open()).resumeThread(thread.id)
      const { outcome } = await runTurn(resumed, 'and now?')
      expect(outcome).toMatchObject({ status: 'completed', text: 'I am two', threadId: thread.id })
      expect(outcome.usage).toMatchObject({ totalTokens: 22 })
      expect(JSON.stringify(model.requests[1]?.body)).toContain('I am one')
    })

    it('is read by another process: turns keep their ids, items not always', async () => {
      const { codex, cwd, open } = await openHome([
        [shell('echo out')],
        [applyPatch('*** Begin Patch\n*** Add File: made\n+one\n*** End Patch\n')],
        [message('done')],
      ])
      const thread = await codex.startThread({ cwd, sandbox: 'workspace-write' })
      const { turn, items } = await runTurn(thread, 'go')
      await codex.close()
      const another = await open()
      const { thread: read } = await another.request('thread/read', {
        threadId: thread.id,
        includeTurns: true,
      })
      expect(read.turns).toMatchObject([{ id: turn.id, status: 'completed' }])
      expect(read.turns[0]!.items.map(({ type }) => type)).toEqual(expected.itemsAfterRestart)
      expect(read.turns[0]!.items.at(-1)!.id === items().at(-1)!.id).toBe(expected.keepsItemIds)
    })

    it('pages its turns, where that is experimental only to those who asked for it', async () => {
      const { codex, cwd, open } = await openHome([[message('one')], [message('two')]])
      const thread = await codex.startThread({ cwd })
      const ids = [await runTurn(thread, 'a'), await runTurn(thread, 'b')].map(({ turn }) => turn.id)
      await codex.close()
      const page = { threadId: thread.id, limit: 10 }
      const plain = (await open()).request('thread/turns/list', page)
      if (expected.isPagingExperimental) await expect(plain).rejects.toBeInstanceOf(Error)
      else expect((await plain).data).toHaveLength(2)
      const { data } = await (await open({ experimental: true })).request('thread/turns/list', page)
      expect(data.map(({ id }) => id)).toEqual(ids.toReversed())
    })

    it('is taken back to before a turn, by whatever means this version has', async () => {
      const { codex, cwd, model } = await openHome([[message('one')], [message('two')], [message('three')]])
      const thread = await codex.startThread({ cwd })
      await runTurn(thread, 'KEPT')
      const { turn } = await runTurn(thread, 'TAKEN BACK')
      await codex.revertThread(thread.id, { beforeTurnId: turn.id })
      await runTurn(thread, 'go on')
      const seen = JSON.stringify(model.requests[2]?.body)
      expect([seen.includes('KEPT'), seen.includes('TAKEN BACK')]).toEqual([true, false])
    })

    it('is forked, and the fork knows only what came before', async () => {
      const { codex, cwd, model } = await openHome([[message('one')], [message('two')]])
      const thread = await codex.startThread({ cwd })
      await runTurn(thread, 'KEPT')
      const fork = await codex.forkThread(thread.id)
      expect(fork.id).not.toBe(thread.id)
      await runTurn(fork, 'go on')
      expect(JSON.stringify(model.requests[1]?.body)).toContain('KEPT')
    })

    it('says at once what this version has no method for', async () => {
      const { codex } = await openHome([])
      const asked = codex.request('thread/rollback' as never, {} as never)
      await expect(asked).rejects.toMatchObject({ code: expected.hasRollback ? 'rpc-error' : 'unsupported' })
    })

    it('has one writer, where this version sees to it', async () => {
      const { codex, cwd, open } = await openHome([[message('mine')]])
      const thread = await codex.startThread({ cwd })
      await runTurn(thread, 'hi')
      const second = (await open()).request('thread/resume', { threadId: thread.id })
      if (expected.allowsTwoWriters) expect((await second).thread.id).toBe(thread.id)
      else await expect(second).rejects.toMatchObject({ code: 'rpc-error', rpcCode: -32600 })
    })
  })
}
