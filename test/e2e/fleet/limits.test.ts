// The usage limit of one login that several workers use.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { httpError, lastUserText, message } from '../../../src/testing/index.ts'
import { startLoginIssuer } from '../../support/login-issuer.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { taskThat } from '../../support/task-facts.ts'

/** As codex keeps a ChatGPT login. */
function logIn(codexHome: string, email: string): void {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const auth = { chatgpt_plan_type: 'plus', chatgpt_account_id: 'ws', chatgpt_user_id: 'jane' }
  const claims = { email, exp: 4_000_000_000, 'https://api.openai.com/auth': auth }
  const id_token = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.x`
  const tokens = { id_token, access_token: id_token, refresh_token: 'r', account_id: 'ws' }
  const login = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() }
  writeFileSync(path.join(codexHome, 'auth.json'), JSON.stringify(login), { mode: 0o600 })
}

function usageLimit() {
  const resetsAt = Math.ceil(Date.now() / 1_000) + 3_600
  return httpError(429, { error: { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt } })
}

it('that one worker meets holds the others, until somebody lifts it', async () => {
  const issuer = await startLoginIssuer()
  onTestFinished(() => issuer.close())
  const config = {
    chatgpt_base_url: `${issuer.url}/backend-api`,
    'model_providers.scripted.requires_openai_auth': true,
  }
  const fleet = await openFleet((call) => (lastUserText(call) === 'limit' ? usageLimit() : message('done')), {
    home: { config },
  })
  logIn(fleet.codexHome, 'jane@example.com')
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  const start = (prompt: string, on: string) => a.tasks.start(fleet.request(prompt, { on }), ALICE)
  const known = await start('hello', 'b')
  expect(await a.tasks.wait(known.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
  const first = await start('limit', 'a')
  const limited = await a.tasks.wait(first.id, { timeoutMs: 30_000 })
  expect(limited).toMatchObject({ status: 'limited', limitedUntil: expect.any(Number) })
  await expect
    .poll(async () => (await a.db.selectFrom('account_holds').select('until').execute()).length)
    .toBe(1)
  // The thread of this one is on b, so nobody else can take it.
  await a.tasks.send(known.id, { input: 'more', mode: 'queue' }, ALICE)
  const held = await taskThat(b.tasks, known.id, ({ evidence }) => evidence.heldUntil !== undefined)
  expect(held).toMatchObject({ status: 'queued', evidence: { heldUntil: limited.limitedUntil } })
  await a.tasks.resume(first.id, { prompt: 'again' }, ALICE)
  expect(await a.tasks.wait(first.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
  await taskThat(b.tasks, known.id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
})
