import { describe, expect, it } from 'vitest'
import { judgeLogin, maskedEmail } from './login-check.ts'

const nobody = { account: null, requiresOpenaiAuth: true, workspaceRouting: null }

describe('judgeLogin', () => {
  it('fails with the ways to log in when nobody is', () => {
    const check = judgeLogin(nobody)
    expect(check.status).toBe('fail')
    expect(check.fix).toContain('drawbridge login')
    expect(check.fix).toContain('login --key')
  })

  it('wants no login where the provider takes none', () => {
    expect(judgeLogin({ ...nobody, requiresOpenaiAuth: false })).toMatchObject({ status: 'ok', fix: null })
  })

  it('names the plan and only hints at the address', () => {
    const account = {
      type: 'chatgpt',
      email: 'jane.doe@example.com',
      planType: 'pro',
      workspaceName: null,
    } as const
    const { status, what } = judgeLogin({ ...nobody, account })
    expect({ status, what }).toEqual({
      status: 'ok',
      what: 'logged in with ChatGPT as j***@example.com, plan pro',
    })
  })

  it('shows a kind of account it does not know', () => {
    const account = { type: 'carrier-pigeon' } as never
    expect(judgeLogin({ ...nobody, account }).what).toBe('logged in (carrier-pigeon)')
  })
})

it('masks what is not an address altogether', () => {
  expect(maskedEmail('@x')).toBe('***')
  expect(maskedEmail('secret')).toBe('***')
})
