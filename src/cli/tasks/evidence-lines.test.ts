import { expect, it } from 'vitest'
import { evidenceLines } from './evidence-lines.ts'

it('tells what a state rests on, a fact on a line, unknown ones too', () => {
  const evidence = {
    turnId: 'turn-1',
    codexSaid: 'failed',
    codexErrorInfo: { httpStatus: 400 },
    stderrTail: ['1', '2', '3', '4', '5', 'six\u001b[2J'],
    timeoutMs: 90_000,
    approvals: ['019c0000-0000-7000-8000-0000aaaa1111'],
    hasUnansweredInput: true,
    unheardOf: 1,
    by: null,
    empty: [],
  }
  expect(evidenceLines(evidence, 'it failed')).toEqual([
    '  turn: turn-1',
    '  codex said: failed',
    '  codex error: {"httpStatus":400}',
    '  codex wrote last:',
    '    2',
    '    3',
    '    4',
    '    5',
    '    six\\u{1b}[2J',
    '  time limit: 90 s',
    '  open questions: aaaa1111',
    '  has unanswered input: yes',
    '  unheard of: 1',
  ])
  expect(evidenceLines({}, '')).toEqual([])
})

it('leaves out what the reason tells, and what codex logs while all is well', () => {
  const evidence = {
    turnId: 'turn-1',
    codexSaid: 'died',
    appServer: 'codex was ended by SIGKILL',
    error: 'TypeError: codex was ended by SIGKILL',
    history: 'it does not have the turn',
    stderrTail: [
      '2026-11-16T08:00:00.1Z  WARN codex_core: slow',
      '2026-11-16T08:00:01.1Z ERROR codex_core: out of memory',
      '2026-11-16T08:00:01.1Z ERROR codex_core: out of memory',
    ],
  }
  expect(evidenceLines(evidence, 'codex died during the turn: codex was ended by SIGKILL')).toEqual([
    '  turn: turn-1',
    '  codex said: died',
    '  history: it does not have the turn',
    '  codex wrote last:',
    '    2026-11-16T08:00:01.1Z ERROR codex_core: out of memory',
  ])
  const quiet = { stderrTail: ['2026-11-16T08:00:00.1Z  WARN codex_core: slow'] }
  expect(evidenceLines(quiet, '')).toEqual([])
})
