// Hooks of the operator's: begun, written, ended.
import type { Fold } from './fold.ts'
import { numberOf, type Params, textOf } from './params.ts'
import type { HookRow } from './row.ts'

export const hookChanged: Fold = (list, { params, ...at }) => {
  const key = keyOf(params)
  const known = list.get(key)
  const place = known ?? at
  const hook = textOf(params.hook) ?? 'hook'
  list.put({
    kind: 'hook',
    ...{ key, seq: place.seq, at: place.at, turnId: null, hook },
    on: textOf(params.on),
    title: textOf(params.title) ?? hook,
    status: textOf(params.status) ?? 'started',
    exitCode: numberOf(params.exitCode),
    durationMs: numberOf(params.durationMs),
    problem: textOf(params.problem),
    output: known?.kind === 'hook' ? known.output : '',
  })
}

export const hookWrote: Fold = (list, { params, ...at }) => {
  const key = keyOf(params)
  const known = list.get(key)
  const row: HookRow = known?.kind === 'hook' ? known : { ...UNHEARD, ...at, key }
  list.put({ ...row, output: row.output + (textOf(params.text) ?? '') })
}

/** Its beginning was not heard. */
const UNHEARD = {
  kind: 'hook' as const,
  ...{ hook: 'hook', on: null, title: 'hook', status: 'started', output: '' },
  ...{ exitCode: null, durationMs: null, problem: null },
}

function keyOf({ runId, attempt }: Params): string {
  return `hook:${String(runId)}:${String(attempt)}`
}
