import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Reply, startReceiver } from '../fixtures/receiver.ts'
import { NOW, noticeTo, settings, task } from '../fixtures/tasks.ts'
import { NoticeSender } from '../index.ts'

const signal = new AbortController().signal
const BOT = `123456:AA${'x'.repeat(33)}`
const LINK = 'https://bridge.example/tasks/task-1'

/** `where` makes the target from the receiver's address. */
async function send(where: (url: string) => string, reply: Reply, text = 'The build is green.') {
  const receiver = await startReceiver(() => reply, { finished: onTestFinished })
  const known = task({ result: { turnId: 't', text, output: null, isCut: false } })
  const sender = new NoticeSender(settings({ telegramUrl: receiver.url, slackApiUrl: `${receiver.url}/api` }))
  const result = await sender.send(noticeTo(where(receiver.url), { task: known }), { signal })
  const request = receiver.received[0]!
  return { result, request, body: JSON.parse(request.body) }
}

describe('slack', () => {
  const hook = (url: string) => `slack:${url}/services/T0/B0/secret`

  it('is sent plain text, its control characters escaped', async () => {
    const { result, body } = await send(hook, { body: 'ok' }, 'a < b && <!channel> *x*')
    expect(result).toEqual({ ok: true })
    expect(body).toEqual({
      text: `Done: Fix the build\n\na &lt; b &amp;&amp; &lt;!channel&gt; *x*\n\n${LINK}`,
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    })
  })

  it('asks for time with Retry-After', async () => {
    const { result } = await send(hook, {
      status: 429,
      headers: { 'Retry-After': '30' },
      body: 'rate_limited',
    })
    expect(result).toMatchObject({ permanent: false, retryAfterMs: 30_000 })
  })

  it.each([
    [400, 'invalid_payload', true],
    [403, 'action_prohibited', true],
    [404, 'no_service', true],
    [410, 'channel_is_archived', true],
    [500, 'rollup_error', false],
  ])('says %i %s', async (status, body, permanent) => {
    const { result } = await send(hook, { status, body })
    expect(result).toMatchObject({ error: `HTTP ${status}: ${body}`, permanent })
  })
})

describe('a slack bot', () => {
  const bot = () => 'slack:xoxb-1-2-abc@C0123'

  it('posts to its channel', async () => {
    const { result, request, body } = await send(bot, { body: { ok: true } })
    expect(result).toEqual({ ok: true })
    expect(request).toMatchObject({
      path: '/api/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-1-2-abc' },
    })
    expect(body.channel).toBe('C0123')
  })

  it.each([
    ['channel_not_found', true],
    ['invalid_auth', true],
    ['ratelimited', false],
    ['internal_error', false],
  ])('is told %s with a 200', async (error, permanent) => {
    const { result } = await send(bot, { body: { ok: false, error } })
    expect(result).toMatchObject({ ok: false, error: `Slack: ${error}`, permanent })
  })

  it('does not take any 200 for a yes', async () => {
    const { result } = await send(bot, { body: '<html>captive portal</html>' })
    expect(result).toMatchObject({ ok: false, permanent: false })
  })
})

describe('telegram', () => {
  const chat = () => `telegram:${BOT}@-1001`

  it('is sent plain text without a preview, at most 4,096 characters with the link whole', async () => {
    const { result, request, body } = await send(
      chat,
      { body: { ok: true, result: {} } },
      `<b>*_${'x'.repeat(900)}`,
    )
    expect(result).toEqual({ ok: true })
    expect(request.path).toBe(`/bot${BOT}/sendMessage`)
    expect(body).toMatchObject({ chat_id: '-1001', link_preview_options: { is_disabled: true } })
    expect(body).not.toHaveProperty('parse_mode')
    expect(body.text).toContain('<b>*_xxx')
    expect(body.text.endsWith(LINK)).toBe(true)
  })

  it('asks for time in its parameters', async () => {
    const body = {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 14',
      parameters: { retry_after: 14 },
    }
    const { result } = await send(chat, { status: 429, body })
    expect(result).toMatchObject({ permanent: false, retryAfterMs: 14_000 })
  })

  it('says where a group has gone', async () => {
    const parameters = { migrate_to_chat_id: -100777 }
    const body = {
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded',
      parameters,
    }
    const { result } = await send(chat, { status: 400, body })
    expect(result).toMatchObject({ permanent: true, error: expect.stringContaining('-100777') })
  })

  it.each([
    [401, 'Unauthorized', true],
    [403, 'Forbidden: bot was blocked by the user', true],
    [502, 'Bad Gateway', false],
  ])('says %i %s', async (status, description, permanent) => {
    const { result } = await send(chat, { status, body: { ok: false, error_code: status, description } })
    expect(result).toMatchObject({ error: `HTTP ${status}: ${description}`, permanent })
  })

  it('never has its token in an error', async () => {
    const { result } = await send(chat, { status: 404, body: { ok: false, description: `no bot${BOT}` } })
    expect(JSON.stringify(result)).not.toContain(BOT)
  })
})

describe('discord', () => {
  const hook = (url: string) => `discord:${url}/api/webhooks/1/secret?thread_id=5`

  it('is sent text that mentions nobody and hides no link', async () => {
    const text = '@everyone <@1> **b** [good](https://evil.example/a_b) `c`\n# big'
    const { result, request, body } = await send(hook, { status: 200, body: { id: '9' } }, text)
    expect(result).toEqual({ ok: true })
    expect(request.path).toBe('/api/webhooks/1/secret?thread_id=5&wait=true')
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 })
    expect(body.content).toBe(
      `Done: Fix the build\n\n\\@everyone \\<\\@1\\> \\*\\*b\\*\\* \\[good\\]\\(https://evil.example/a_b\\) \\\`c\\\`\n\\# big\n\n${LINK}`,
    )
  })

  it('is sent at most 2,000 characters, escapes counted, with the link whole', async () => {
    const { body } = await send(hook, { status: 204 }, '*'.repeat(700))
    expect(body.content.length).toBeLessThanOrEqual(2_000)
    const known = task({
      title: '_'.repeat(120),
      result: { turnId: 't', text: '*'.repeat(2_000), output: null, isCut: false },
    })
    const notice = noticeTo('discord:https://discord.com/api/webhooks/1/t', { task: known })
    const draft = new NoticeSender(settings()).draft({ ...notice, text: `${'*'.repeat(3_000)}\n\n${LINK}` })
    const { content } = JSON.parse((draft as { body: string }).body)
    expect(content.length).toBeLessThanOrEqual(2_000)
    expect(content.endsWith(`…\n\n${LINK}`)).toBe(true)
  })

  it('asks for time in parts of seconds', async () => {
    const body = { message: 'You are being rate limited.', retry_after: 0.635, global: false }
    const { result } = await send(hook, { status: 429, headers: { 'Retry-After': '1' }, body })
    expect(result).toMatchObject({ permanent: false, retryAfterMs: 635 })
  })

  it('asks for time through what stands before it too', async () => {
    const { result } = await send(hook, { status: 429, headers: { 'Retry-After': '60' }, body: '<html>' })
    expect(result).toMatchObject({ permanent: false, retryAfterMs: 60_000 })
  })

  it('says that a webhook is gone', async () => {
    const { result } = await send(hook, { status: 404, body: { message: 'Unknown Webhook', code: 10015 } })
    expect(result).toMatchObject({ error: 'HTTP 404: Unknown Webhook', permanent: true })
  })
})

describe('feishu', () => {
  const hook = (url: string) => `feishu:${url}/open-apis/bot/v2/hook/h`
  const yes = { body: { code: 0, msg: 'success', data: {} } }

  it('is sent text that calls nobody', async () => {
    const { result, body } = await send(hook, yes, '<at user_id="all">all</at> 1 < 2')
    expect(result).toEqual({ ok: true })
    expect(body).toEqual({
      msg_type: 'text',
      content: { text: `Done: Fix the build\n\n<\u200bat user_id="all">all<\u200b/at> 1 < 2\n\n${LINK}` },
    })
  })

  it('is signed when there is a secret', async () => {
    const { body } = await send((url) => `${hook(url)}#s3cret`, yes)
    const timestamp = String(NOW / 1000)
    const sign = createHmac('sha256', `${timestamp}\ns3cret`).update('').digest('base64')
    expect(body).toMatchObject({ timestamp, sign })
  })

  it('understands the answer of older bots', async () => {
    const { result } = await send(hook, { body: { StatusCode: 0, StatusMessage: 'success' } })
    expect(result).toEqual({ ok: true })
  })

  it.each([
    [200, 19021, 'sign match fail or timestamp is not within one hour', true],
    [200, 19024, 'Key Words Not Found', true],
    [400, 19001, 'param invalid: incoming webhook access token invalid', true],
    [200, 11232, 'frequency limited psm', false],
    [400, 9499, 'too many request', false],
    [500, 55555, 'inner', false],
  ])('says no with %i and code %i', async (status, code, msg, permanent) => {
    const { result } = await send(hook, { status, body: { code, msg } })
    expect(result).toMatchObject({ ok: false, error: `Feishu ${code}: ${msg}`, permanent })
  })

  it('does not take any 200 for a yes', async () => {
    const { result } = await send(hook, { body: 'hello' })
    expect(result).toMatchObject({ ok: false, permanent: false })
  })
})
