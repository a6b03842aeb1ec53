import { expect, it } from 'vitest'
import { DrawbridgeError } from '../../codex/index.ts'
import type { Links } from '../link/index.ts'
import { endTurn, UNKNOWN_TURN } from './orphan-turns.ts'

const ORPHAN = { thread_id: 'thread', app_server_id: 'one', orphan_turn: 'turn' }
const closed = () =>
  new DrawbridgeError('the connection broke', { code: 'transport-closed', retryable: true })
const refused = () => new DrawbridgeError('no active turn', { code: 'rpc-error', retryable: false })

type Answer = Error | string | null

/** A codex that answers looks with the state of the turn, and interrupts with nothing, one after the other; then it is gone. */
function codexThat(...answers: Answer[]) {
  const asked: string[] = []
  const request = async (method: string) => {
    asked.push(method)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return method === 'turn/interrupt' ? {} : { data: answer ? [{ id: 'turn', status: answer }] : [] }
  }
  const link = { codex: async () => ({ request }) }
  const byId = () => (answers.length > 0 ? link : null)
  const links = { byId, signal: new AbortController().signal } as unknown as Links
  return { links, asked }
}

it('asks again when the connection breaks, and looks whether the turn has ended', async () => {
  const { links, asked } = codexThat(
    closed(),
    closed(),
    'inProgress',
    closed(),
    'inProgress',
    null,
    'interrupted',
    null,
  )
  expect(await endTurn(ORPHAN, links)).toBe('turn')
  expect(asked).toEqual([
    ...['thread/turns/list', 'thread/read'],
    ...['thread/turns/list', 'turn/interrupt', 'thread/turns/list', 'turn/interrupt', 'thread/turns/list'],
  ])
})

it('leaves alone what has ended by itself, and another turn than the one it was told of', async () => {
  expect(await endTurn(ORPHAN, codexThat('completed', null).links)).toBeNull()
  const { links, asked } = codexThat('inProgress', null)
  expect(await endTurn({ ...ORPHAN, orphan_turn: 'another' }, links)).toBeNull()
  expect(asked).not.toContain('turn/interrupt')
})

it('looks again for a turn that was about to begin', async () => {
  const { links, asked } = codexThat(null, null, 'inProgress', null, 'interrupted', null)
  expect(await endTurn({ ...ORPHAN, orphan_turn: UNKNOWN_TURN }, links)).toBe('turn')
  expect(asked.filter((method) => method === 'turn/interrupt')).toHaveLength(1)
})

it('gives up what codex lists as running and does not know to run', async () => {
  const five = Array.from({ length: 5 }, () => ['inProgress', refused()]).flat()
  expect(await endTurn(ORPHAN, codexThat(...five, null).links)).toBeNull()
})

it('ends with its app-server', async () => {
  expect(await endTurn(ORPHAN, codexThat().links)).toBeNull()
})
