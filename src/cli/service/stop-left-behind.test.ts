import { expect, it } from 'vitest'
import { leftBehindText } from './stop-left-behind.ts'

const nothing = { silentPid: null, ended: 0, left: 0 }

it('says that app-servers were left running, and how to end them', () => {
  expect(leftBehindText(nothing)).toBe('No service runs.')
  expect(leftBehindText({ ...nothing, left: 2 })).toBe(
    'No service runs. Left running: 2 app-servers; the next start takes over, and drawbridge stop --kill ends what is left.',
  )
  expect(leftBehindText({ ...nothing, ended: 1 })).toBe(
    'No service runs. Ended 1 app-server that had been left running.',
  )
})

it('names a service that does not answer: the app-servers may be its own', () => {
  expect(leftBehindText({ ...nothing, silentPid: 77, left: 1 })).toBe(
    'Process 77 does not answer as the service. Left running: 1 app-server; the next start takes over, and kill 77, then drawbridge stop --kill ends what is left.',
  )
})
