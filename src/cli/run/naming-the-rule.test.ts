import { expect, it } from 'vitest'
import { commandQuestion } from '../../../test/support/questions.ts'
import { type Approver, decide, PRESETS } from '../../codex/index.ts'
import { makeApprover } from '../prompts/approver.ts'
import { namingTheRule } from './naming-the-rule.ts'

const command = 'sudo ls'
const asked = { kind: 'command', command, cwd: '/repo', isEscalated: true } as const
const ruling = decide(
  PRESETS.trusted,
  { ...asked, threadId: '', labels: [], workspaceRoots: ['/repo'] },
  { now: 0, resolve: (path) => path },
)
const ask = (approver: Approver, context: Partial<Parameters<Approver>[1]> = {}) =>
  namingTheRule(approver)(commandQuestion({ command }), {
    signal: new AbortController().signal,
    ruling,
    ...context,
  })

it('names the rule of the preset because of which somebody was to be asked', async () => {
  expect(await ask(makeApprover({ person: null, yes: null }))).toEqual({
    answer: 'deny',
    by: 'default',
    why: 'nobody is there to answer, and rule trusted: sudo asks for `sudo ls`',
  })
})

it('says nothing where no rule asked, or somebody answered', async () => {
  const nobody = makeApprover({ person: null, yes: null })
  expect(await ask(nobody, { ruling: null })).toMatchObject({ why: 'nobody is there to answer' })
  expect(await ask(() => 'deny')).toBe('deny')
  expect(await ask(() => ({ answer: 'deny', by: 'person', why: 'no' }))).toMatchObject({ why: 'no' })
})
