import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loginOf, readLogin } from './login-text.ts'

const tokens = { id_token: 'id-token', access_token: 'access', refresh_token: 'refresh', account_id: 'ws-1' }
const chatgpt = (more: object = {}) =>
  JSON.stringify({ auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: 'x', ...more })

it('knows the logins of codex, whose they are, and what is secret in them', () => {
  const login = loginOf(chatgpt())
  expect(login).toMatchObject({ kind: 'chatgpt', secrets: ['id-token', 'access', 'refresh'] })
  expect(loginOf(chatgpt({ last_refresh: 'y' }))?.identity).toBe(login?.identity)
  expect(loginOf(chatgpt({ tokens: { ...tokens, account_id: 'ws-2' } }))?.identity).not.toBe(login?.identity)
  // Two people of one team have the same account, and logins of their own.
  const person = (sub: string) => {
    const claims = Buffer.from(JSON.stringify({ sub })).toString('base64url')
    return loginOf(chatgpt({ tokens: { ...tokens, id_token: `x.${claims}.y` } }))!
  }
  expect(person('person-1').identity).not.toBe(person('person-2').identity)
  expect(person('person-1').account).toBe(person('person-2').account)
  expect(loginOf('{"auth_mode":"apikey","OPENAI_API_KEY":"sk-one"}')).toMatchObject({ kind: 'apikey' })
  expect(loginOf('{"OPENAI_API_KEY":"sk-one"}')).toMatchObject({ kind: 'apikey', secrets: ['sk-one'] })
  expect(loginOf('{"OPENAI_API_KEY":null,"personal_access_token":"at-one"}')).toMatchObject({
    kind: 'access-token',
  })
})

it.each([
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '{}',
  chatgpt().slice(0, -20),
  chatgpt({ tokens: null }),
  chatgpt({ tokens: { ...tokens, refresh_token: '' } }),
  chatgpt({ tokens: { ...tokens, account_id: 7 } }),
  '{"auth_mode":"apikey","OPENAI_API_KEY":null}',
  JSON.stringify({ OPENAI_API_KEY: 'x'.repeat(300_000) }),
])('takes %.60s for no login', (text) => {
  expect(loginOf(text)).toBeNull()
})

it('takes a file that is being written only when it holds still', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-login-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'auth.json')
  expect(await readLogin(file)).toBeNull()
  writeFileSync(file, chatgpt().slice(0, 40))
  const reading = readLogin(file)
  setImmediate(() => writeFileSync(file, chatgpt()))
  expect((await reading)?.kind).toBe('chatgpt')
})

it('takes no pipe, folder or huge file for a login, and follows the link of a folder that a person names', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-login-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (name: string) => path.join(folder, name)
  execFileSync('mkfifo', [at('pipe')])
  mkdirSync(at('folder'))
  writeFileSync(at('huge'), chatgpt())
  truncateSync(at('huge'), 3_000_000_000)
  for (const name of ['pipe', 'folder', 'huge']) expect(await readLogin(at(name))).toBeNull()
  mkdirSync(at('home'))
  writeFileSync(path.join(at('home'), 'auth.json'), chatgpt())
  symlinkSync(at('home'), at('link'))
  expect((await readLogin(path.join(at('link'), 'auth.json')))?.kind).toBe('chatgpt')
})
