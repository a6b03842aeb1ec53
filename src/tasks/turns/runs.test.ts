import { expect, it } from 'vitest'
import type { StoredTask } from '../../store/index.ts'
import { Runs } from './runs.ts'
import type { RunsParts } from './runs-parts.ts'

it('parks a task after a restart without a word to its account, which may have been freed since', () => {
  const called: string[] = []
  const note = (name: string) => () => void called.push(name)
  const parts = {
    now: () => 0,
    scheduler: { hold: note('hold'), stop: () => {} },
    onLimit: note('onLimit'),
    accounts: { noteLimit: note('noteLimit'), switchFrom: note('switchFrom') },
  }
  const runs = new Runs(parts as unknown as RunsParts)
  const row = { id: 't', account: 'pool:team', account_id: 'a', policy: '{}', codex_home: '/a' }
  runs.park(row as StoredTask, 1_000_000)
  expect(called).toEqual(['hold', 'onLimit'])
  runs.stop()
})
