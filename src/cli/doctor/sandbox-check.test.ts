import { expect, it } from 'vitest'
import { judgeSandbox, sandboxProbe } from './sandbox-check.ts'

const linux = { platform: 'linux', hasBubblewrap: true } as const

it('is well when the command ran and could not write', () => {
  expect(judgeSandbox({ exitCode: 0, stdout: '', stderr: '' }, linux).status).toBe('ok')
})

it('says what the sandbox said when the command could not run', () => {
  const stderr = 'bwrap: setting up uid map: Permission denied\n'
  const check = judgeSandbox({ exitCode: 1, stdout: '', stderr }, linux)
  expect(check.status).toBe('fail')
  expect(check.what).toContain('(exit 1): bwrap: setting up uid map: Permission denied')
  expect(check.fix).toContain('user namespaces')
})

it('fails when the command could write: a sandbox that holds nothing back is none', () => {
  expect(judgeSandbox({ exitCode: 0, stdout: 'written\n', stderr: '' }, linux).status).toBe('fail')
})

it('asks for the read-only sandbox, in the given folder', () => {
  const probe = sandboxProbe('/home/me/.codex', 'linux')
  expect(probe).toMatchObject({
    cwd: '/home/me/.codex',
    sandboxPolicy: { type: 'readOnly', networkAccess: false },
  })
})
