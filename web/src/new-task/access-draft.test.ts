import { expect, it } from 'vitest'
import { accessPolicy, accessProblem, NO_ACCESS } from './access-draft.ts'

it('asks for what was written, and for nothing when nothing was', () => {
  expect(accessPolicy(NO_ACCESS)).toEqual({})
  expect(
    accessPolicy({
      network: 'domains',
      domains: 'A.org,  *.b.org',
      allow: ' ro:/docs\n\nrw:/a b\n',
      confined: true,
    }),
  ).toEqual({
    network: { domains: ['a.org', '*.b.org'] },
    allow: [
      { access: 'ro', path: '/docs' },
      { access: 'rw', path: '/a b' },
    ],
    confined: true,
  })
})

it('says which line is not understood, and never drops one', () => {
  expect(accessProblem({ allow: 'ro:/x\n/y' })).toContain('/y')
  expect(accessPolicy({ ...NO_ACCESS, allow: '/y' }).allow).toEqual([{ access: 'ro', path: '/y' }])
  expect(accessProblem({ allow: 'rw:/x' })).toBeNull()
})
