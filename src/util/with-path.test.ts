import { expect, it } from 'vitest'
import { withPath } from './with-path.ts'

const failure = (fields: object) => Object.assign(new Error('no'), fields)

it('names the place of a write that found no room, unless the system did', () => {
  expect(withPath(failure({ code: 'ENOSPC' }), '/data')).toMatchObject({ path: '/data' })
  expect(withPath(failure({ code: 'EDQUOT', path: '/x' }), '/data')).toMatchObject({ path: '/x' })
  expect(withPath(failure({ code: 'EIO' }), '/data')).not.toHaveProperty('path')
  expect(withPath('ENOSPC', '/data')).toBe('ENOSPC')
})
