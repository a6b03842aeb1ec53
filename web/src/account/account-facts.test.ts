import { expect, it } from 'vitest'
import { isLoggedOut, nameOf } from './account-facts.ts'

const nobody = { account: null, requiresOpenaiAuth: true, rateLimits: null }

it('nobody is logged in only where codex wants a login and says so', () => {
  expect(isLoggedOut(nobody)).toBe(true)
  expect(isLoggedOut({ ...nobody, requiresOpenaiAuth: false })).toBe(false)
  expect(isLoggedOut({ ...nobody, account: { type: 'apiKey' } })).toBe(false)
  expect(isLoggedOut(undefined)).toBe(false)
})

it('an account is named as far as codex names it', () => {
  expect(nameOf({ ...nobody, account: { type: 'chatgpt', email: 'jane@example.com' } })).toBe(
    ' as jane@example.com',
  )
  expect(nameOf({ ...nobody, account: { type: 'chatgpt', email: null } })).toBe('')
  expect(nameOf({ ...nobody, account: { type: 'apiKey' } })).toBe(' with an API key')
})
