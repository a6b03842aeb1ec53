import { homedir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { dataDir } from './data-dir.ts'

it('follows DRAWBRIDGE_HOME, then the habits of the platform', () => {
  const env = { HOME: '/home/ada', XDG_STATE_HOME: '/state', DRAWBRIDGE_HOME: '/elsewhere' }
  expect(dataDir({ env, platform: 'linux' })).toBe('/elsewhere')
  expect(dataDir({ env: { ...env, DRAWBRIDGE_HOME: '' }, platform: 'linux' })).toBe('/state/drawbridge')
  expect(dataDir({ env: { HOME: '/home/ada' }, platform: 'linux' })).toBe('/home/ada/.local/state/drawbridge')
  expect(dataDir({ env: { HOME: '/Users/ada' }, platform: 'darwin' })).toBe(
    '/Users/ada/Library/Application Support/drawbridge',
  )
  expect(dataDir({ env: { LOCALAPPDATA: '/local' }, platform: 'win32' })).toBe('/local/drawbridge')
})

it('ignores a relative XDG_STATE_HOME and falls back on the account', () => {
  const env = { XDG_STATE_HOME: 'state' }
  expect(dataDir({ env, platform: 'linux' })).toBe(path.join(homedir(), '.local/state/drawbridge'))
})
