// Commands against the presets, with their real effect on the real sandbox.
import { describe, expect, it } from 'vitest'
import { ESCAPES } from './escapes.ts'
import { namesOf, openHostileRepository, POSSIBLE } from './hostile-repository.ts'

const sandbox = 'workspace-write'
const approvalPolicy = 'on-request'

describe('escapes from the sandbox', () => {
  it('probe', async () => {
    const { attempt } = await openHostileRepository()
    for (const preset of ['read-only', 'workspace'] as const) {
      const t = await attempt({
        thread: { sandbox, approvalPolicy, approvals: { preset } },
        isEscalated: true,
        answer: 'deny',
      })
      console.log(
        preset,
        t.length,
        'not asked',
        namesOf(t, (o) => !o.isAsked),
        'done',
        namesOf(t, (o) => o.isDone),
      )
    }
    const c = await attempt({ thread: { sandbox, approvalPolicy }, isEscalated: true, answer: 'once' })
    console.log(
      'control not done',
      namesOf(c, (o) => !o.isDone),
    )
    const i = await attempt({ thread: { sandbox, approvalPolicy }, isEscalated: false, answer: 'deny' })
    console.log(
      'inside asked',
      namesOf(i, (o) => o.isAsked),
      'done',
      namesOf(i, (o) => o.isDone),
    )
    console.log(ESCAPES.length, POSSIBLE.length)
  }, 200_000)
})
