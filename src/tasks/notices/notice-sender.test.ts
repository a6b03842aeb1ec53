import { describe, expect, it, onTestFinished } from 'vitest'
import { startReceiver } from './fixtures/receiver.ts'
import { NOW, noticeTo, settings } from './fixtures/tasks.ts'
import { NoticeSender, signBody } from './index.ts'

const signal = new AbortController().signal

describe('NoticeSender', () => {
  it('hands local notices to whoever sits here', async () => {
    const heard: string[] = []
    const local = ({ title }: { title: string }) => void heard.push(title)
    expect(await new NoticeSender(settings({ local })).send(noticeTo('local'), { signal })).toEqual({
      ok: true,
    })
    expect(heard).toEqual(['Done: Fix the build'])
  })

  it('tries again when telling locally fails', async () => {
    const local = () => Promise.reject(new Error('no desktop'))
    const result = await new NoticeSender(settings({ local })).send(noticeTo('local'), { signal })
    expect(result).toMatchObject({ ok: false, permanent: false, error: 'cannot reach local: no desktop' })
  })

  it('sends to a name from the settings, and gives up on a name that is not there', async () => {
    const receiver = await startReceiver(() => ({}), { finished: onTestFinished })
    const sender = new NoticeSender(settings({ named: { team: `webhook:${receiver.url}/t` } }))
    expect(await sender.send(noticeTo('team'), { signal })).toEqual({ ok: true })
    expect(receiver.received).toHaveLength(1)
    expect(await sender.send(noticeTo('gone'), { signal })).toMatchObject({ permanent: true })
  })

  it('says what is wrong with a target before anything is sent', () => {
    const sender = new NoticeSender(
      settings({ allowPrivate: [], named: { team: 'webhook:https://a.example' } }),
    )
    expect(sender.problemWith('team')).toBeNull()
    expect(sender.problemWith('local')).toBeNull()
    expect(sender.problemWith('teams')).toContain('not a target')
    expect(sender.problemWith('email:a@b.example')).toContain('SMTP')
    expect(sender.problemWith('webhook:https://169.254.169.254/')).toContain('allowPrivate')
    expect(sender.problemWith('webhook:http://8.8.8.8/')).toContain('https')
  })

  it('knows which targets are on one machine', () => {
    const sender = new NoticeSender(settings({ named: { team: 'slack:https://a.example/1' } }))
    const machines = [
      'team',
      'webhook:https://a.example/2',
      'webhook:https://a.example:8443/',
      'local',
      '?',
    ].map((text) => sender.machine(text))
    expect(machines).toEqual(['a.example', 'a.example', 'a.example:8443', 'local', '…'])
  })
})

describe('a dry run', () => {
  const smtp = { url: 'smtps://me:pass-w0rd@mail.example', from: 'bridge@example.org' }
  const sender = new NoticeSender(
    settings({ webhookSecret: 'k3y', smtp, slackApiUrl: 'https://slack.com/api' }),
  )

  it('shows exactly what a webhook would get', async () => {
    const receiver = await startReceiver(() => ({}), { finished: onTestFinished })
    const notice = noticeTo(`webhook:${receiver.url}/s3cret`)
    const draft = sender.draft(notice)
    expect(receiver.received).toEqual([])
    await sender.send(notice, { signal })
    const { body, headers } = receiver.received[0]!
    expect(draft).toEqual({
      target: `webhook:${receiver.url}/…`,
      method: 'POST',
      url: `${receiver.url}/…`,
      headers: {
        'Content-Type': headers['content-type'],
        'User-Agent': headers['user-agent'],
        'Idempotency-Key': notice.id,
        'Drawbridge-Signature': signBody(notice.payload, 'k3y', { now: NOW }),
      },
      body,
    })
  })

  it.each([
    'webhook:https://me:pass-w0rd@a.example/pass-w0rd',
    `slack:xoxb-1234567890-pass-w0rd@C1`,
    `telegram:123456:AA${'pass-w0rd'.repeat(4).slice(0, 33)}@1`,
    'discord:https://discord.com/api/webhooks/1/pass-w0rd',
    'feishu:https://open.feishu.cn/hook/pass-w0rd#pass-w0rd',
    'email:dev@example.org',
    'local',
  ])('never shows the secrets of %s', (target) => {
    const draft = sender.draft(noticeTo(target))
    expect(draft).toHaveProperty('body')
    const credentials = Buffer.from('me:pass-w0rd').toString('base64')
    expect(JSON.stringify(draft)).not.toMatch(new RegExp(`pass-w0rd|${credentials}`))
  })

  it('says when nothing could be sent', () => {
    expect(sender.draft(noticeTo('nobody'))).toHaveProperty('error')
    expect(new NoticeSender(settings()).draft(noticeTo('email:a@b.example'))).toHaveProperty('error')
  })
})
