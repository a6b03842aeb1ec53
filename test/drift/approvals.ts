import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ServerParams } from '../../src/codex/index.ts'
import { applyPatch, message, shell } from '../../src/testing/index.ts'
import type { Subject } from './conformance.ts'
import { runTurn } from './run-turn.ts'

type CommandApproval = ServerParams<'item/commandExecution/requestApproval'>

const escalated = [[shell('touch made', { escalate: 'to show', callId: 'call-1' })], [message('fine')]]
const patched = [
  [applyPatch('*** Begin Patch\n*** Add File: made\n+one\n*** End Patch\n', { callId: 'call-1' })],
  [message('fine')],
]
const laterFields = ['startedAtMs', 'environmentId', 'kind']

export function approvalsConform({ expected, open }: Subject): void {
  describe('an approval', () => {
    it('of a command is accepted by a handler', async () => {
      const asked: CommandApproval[] = []
      const { codex, cwd } = await open(escalated, {
        client: {
          handlers: {
            'item/commandExecution/requestApproval': (params) => {
              asked.push(params)
              return { decision: 'accept' }
            },
          },
        },
      })
      const thread = await codex.startThread({ cwd })
      const { turn, items, of, outcome } = await runTurn(thread, 'go')
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(existsSync(path.join(cwd, 'made'))).toBe(true)
      expect(items()[1]).toMatchObject({ type: 'commandExecution', status: 'completed', id: 'call-1' })
      expect(asked).toMatchObject([
        {
          threadId: thread.id,
          turnId: turn.id,
          itemId: 'call-1',
          reason: 'to show',
          command: expect.stringContaining('touch made'),
          cwd,
          commandActions: [{ type: 'unknown', command: 'touch made' }],
          availableDecisions: ['accept', { acceptWithExecpolicyAmendment: expect.anything() }, 'cancel'],
        },
      ])
      expect(
        Object.keys(asked[0]!)
          .filter((field) => laterFields.includes(field))
          .sort(),
      ).toEqual([...expected.approvalFields].sort())
      const waiting = of('thread/status/changed').map(({ params }) => params.status)
      expect(waiting).toContainEqual({ type: 'active', activeFlags: ['waitingOnApproval'] })
    })

    it('of a command is declined when nobody answers, and the turn goes on', async () => {
      const refused: string[] = []
      const { codex, cwd } = await open(escalated, {
        client: {
          onIncident: (incident) => incident.type === 'request-refused' && refused.push(incident.method),
        },
      })
      const { items, outcome } = await runTurn(await codex.startThread({ cwd }), 'go')
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(items()[1]).toMatchObject({ type: 'commandExecution', status: 'declined' })
      expect(existsSync(path.join(cwd, 'made'))).toBe(false)
      expect(refused).toEqual(['item/commandExecution/requestApproval'])
    })

    it('of a command ends the turn when it is cancelled', async () => {
      const { codex, cwd } = await open(escalated, {
        client: { handlers: { 'item/commandExecution/requestApproval': () => ({ decision: 'cancel' }) } },
      })
      const { outcome } = await runTurn(await codex.startThread({ cwd }), 'go')
      expect(outcome).toMatchObject({ status: 'interrupted', by: 'codex' })
    })

    it('of a file change is accepted by a handler', async () => {
      const asked: string[] = []
      const { codex, cwd } = await open(patched, {
        client: {
          handlers: {
            'item/fileChange/requestApproval': ({ itemId }) => {
              asked.push(itemId)
              return { decision: 'accept' }
            },
          },
        },
      })
      const { items, outcome } = await runTurn(await codex.startThread({ cwd }), 'go')
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(items()[1]).toMatchObject({ type: 'fileChange', status: 'completed', id: 'call-1' })
      expect(readFileSync(path.join(cwd, 'made'), 'utf8')).toBe('one\n')
      expect(asked).toEqual(['call-1'])
    })

    it('of a file change is declined when nobody answers', async () => {
      const { codex, cwd } = await open(patched)
      const { items, outcome } = await runTurn(await codex.startThread({ cwd }), 'go')
      expect(outcome).toMatchObject({ status: 'completed', text: 'fine' })
      expect(items()[1]).toMatchObject({ type: 'fileChange', status: 'declined' })
      expect(existsSync(path.join(cwd, 'made'))).toBe(false)
    })

    it('is asked for by the policies this version has', async () => {
      let asked = 0
      const { codex, cwd } = await open([[shell('ls')], [message('seen')]], {
        client: {
          handlers: {
            'item/commandExecution/requestApproval': () => {
              asked++
              return { decision: 'accept' }
            },
          },
        },
      })
      const thread = await codex.startThread({ cwd, approvalPolicy: 'untrusted' })
      expect((await runTurn(thread, 'look')).outcome).toMatchObject({ status: 'completed', text: 'seen' })
      expect(asked).toBe(expected.untrustedAsksToRead ? 1 : 0)
      const onFailure = codex.request('thread/start', { cwd, approvalPolicy: 'on-failure' as never })
      if (expected.hasOnFailure) expect(await onFailure).toMatchObject({ approvalPolicy: 'on-failure' })
      else await expect(onFailure).rejects.toMatchObject({ code: 'rpc-error', rpcCode: -32600 })
    })
  })
}
