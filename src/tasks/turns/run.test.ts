import { expect, it } from 'vitest'
import type { OpenedThread } from '../link/index.ts'
import { type Opened, Run } from './run.ts'

it('opens the thread once for all that want it meanwhile, and again when that failed', async () => {
  const run = new Run('t', () => {})
  const first = Promise.withResolvers<Opened>()
  const both = [run.openOnce(() => first.promise), run.openOnce(() => Promise.reject(new Error('a second')))]
  first.reject(new Error('the first'))
  for (const one of both) await expect(one).rejects.toThrow('the first')
  await expect(run.openOnce(() => Promise.reject(new Error('the next')))).rejects.toThrow('the next')
})

it('that was dropped hears of no turn, and leaves the thread that is open, or opened afterwards', () => {
  const heard: Run[] = []
  const run = new Run('t', (one) => heard.push(one))
  const { opened, begin, sent } = openedThread()
  run.setOpened(opened)
  begin('one')
  expect(heard).toEqual([run])
  run.drop()
  begin('two')
  expect(heard).toEqual([run])
  expect(run.elsewhere).toEqual([])
  expect(sent).toEqual(['thread/unsubscribe'])
  expect(() => run.setOpened(opened)).toThrow('there is no task t')
  begin('three')
  expect(heard).toEqual([run])
  expect(sent).toEqual(['thread/unsubscribe', 'thread/unsubscribe'])
})

/** A thread in which others begin turns, and what its codex is sent. */
function openedThread() {
  const listeners = new Set<(turn: object) => void>()
  const sent: string[] = []
  const thread = {
    ...{ id: 'thread', activeTurn: null, joinedTurn: null, settings: {} },
    onTurn(listener: (turn: object) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const codex = {
    closed: new Promise(() => {}),
    async request(method: string) {
      sent.push(method)
    },
  }
  const link = { appServer: { isAlive: () => true } }
  const opened = { link, codex, thread, tokens: null } as unknown as OpenedThread
  const begin = (id: string) => {
    for (const listener of listeners) listener({ id, origin: 'other', discardEvents() {} })
  }
  return { opened, begin, sent }
}
