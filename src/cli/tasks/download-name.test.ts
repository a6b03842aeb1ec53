import { expect, it } from 'vitest'
import { downloadName } from './download-name.ts'

it('makes a plain, visible name of what a model has chosen', () => {
  const nameOf = (name: string) => downloadName({ name, number: 3 })
  expect(nameOf('report 1.pdf')).toBe('report 1.pdf')
  expect(nameOf('a\u001b[31m\u202eb/..\\c:d')).toBe('a_[31m_b_.._c_d')
  for (const empty of ['', '.', '..', '-rf']) expect(nameOf(empty)).toBe('deliverable-3')
  // A shell, git or direnv would act on it, wherever it lands.
  expect(nameOf('.bash_profile')).toBe('deliverable-3.bash_profile')
  expect(nameOf('.envrc')).toBe('deliverable-3.envrc')
})
