import { expect, it } from 'vitest'
import { browserCommand } from './open-browser.ts'

it('is opened only where there is a screen', () => {
  expect(browserCommand({}, 'linux')).toBeNull()
  expect(browserCommand({ DISPLAY: ':0' }, 'linux')).toEqual(['xdg-open'])
  expect(browserCommand({}, 'darwin')).toEqual(['open'])
})
