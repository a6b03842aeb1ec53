import { expect, it } from 'vitest'
import { checkInputFor } from './check-input.ts'

it('takes no file by its path for a task on a host: of which machine it is, nobody could tell', () => {
  const image = { type: 'localImage', path: '/a.png' } as const
  const data = { type: 'image', url: 'data:image/png;base64,eA==' } as const
  const app = { type: 'mention', name: 'x', path: 'app://x' } as const
  const skill = { type: 'skill', name: 'x', path: '/x/SKILL.md' } as const
  checkInputFor(null, [image, skill])
  checkInputFor('box', 'read /a.png')
  checkInputFor('box', [data, app])
  for (const item of [image, skill, { ...skill, path: 'file:///x' }])
    expect(() => checkInputFor('box', [data, item])).toThrow('data: URLs')
})
