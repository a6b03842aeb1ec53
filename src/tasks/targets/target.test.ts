import { describe, expect, it } from 'vitest'
import { parseTarget, resolveTarget, showTarget, showTargetText } from '../targets/index.ts'
import type { Target } from './target.ts'
import { secretsOf } from './target.ts'

const SLACK = 'https://hooks.slack.com/services/T0/B0/abcdefghijklmnop'
const BOT = `123456:AA${'x'.repeat(33)}`

describe('parseTarget', () => {
  it.each<[string, Target, string]>([
    ['local', { kind: 'local' }, 'local'],
    ['webhook:https://a.example', { kind: 'webhook', url: 'https://a.example' }, 'webhook:https://a.example'],
    [
      'webhook:https://me:pw@a.example:8443/hook/k?token=t',
      { kind: 'webhook', url: 'https://me:pw@a.example:8443/hook/k?token=t' },
      'webhook:https://a.example:8443/…',
    ],
    [`slack:${SLACK}`, { kind: 'slack', url: SLACK }, 'slack:https://hooks.slack.com/…'],
    [
      'slack:xoxb-1-2-abc@C0123',
      { kind: 'slack-bot', token: 'xoxb-1-2-abc', channel: 'C0123' },
      'slack:xoxb-…@C0123',
    ],
    [`telegram:${BOT}@-1001`, { kind: 'telegram', token: BOT, chat: '-1001' }, 'telegram:123456:…@-1001'],
    [
      `telegram:${BOT}@@builds`,
      { kind: 'telegram', token: BOT, chat: '@builds' },
      'telegram:123456:…@@builds',
    ],
    [
      'discord:https://discord.com/api/webhooks/1/t',
      { kind: 'discord', url: 'https://discord.com/api/webhooks/1/t' },
      'discord:https://discord.com/…',
    ],
    [
      'feishu:https://open.feishu.cn/open-apis/bot/v2/hook/h#s3cret',
      { kind: 'feishu', url: 'https://open.feishu.cn/open-apis/bot/v2/hook/h', secret: 's3cret' },
      'feishu:https://open.feishu.cn/…',
    ],
    [
      ' Email:dev+ci@example.org ',
      { kind: 'email', address: 'dev+ci@example.org' },
      'email:dev+ci@example.org',
    ],
  ])('reads %s and shows it without secrets', (text, target, shown) => {
    expect(parseTarget(text)).toEqual(target)
    expect(showTarget(target)).toBe(shown)
    expect(showTargetText(text)).toBe(shown)
  })

  it.each([
    ['', 'begins with local, webhook:'],
    ['team', '"team" is not a target'],
    [`xoxb-1-${'secret'.repeat(4)}`, 'xoxb-…cret" is not a target'],
    ['pager:secret-key-1', '"pager…" is not a target'],
    ['https://hooks.slack.com/services/S', 'webhook:https://'],
    ['webhook:', 'not a url'],
    ['webhook:hooks.example:80/x', 'only urls of http'],
    ['webhook:file:///etc/passwd', 'only urls of http'],
    ['webhook:https://a:%ff@b.example', '%25'],
    ['slack:xoxb-1-secret', '<token>@<channel id>'],
    [`telegram:${BOT}`, '<bot token>@<chat id>'],
    ['telegram:bot@1', '<bot token>@<chat id>'],
    ['email:nobody', 'name@host'],
    ['email:a@b.example,c@d.example', 'one address'],
    ['email:a@b.example\r\nBcc: c@d.example', 'one address'],
    ['email:"a"<x@b.example>', 'one address'],
  ])('says how to write %j right, without repeating it', (text, said) => {
    const parsed = parseTarget(text)
    expect(parsed).toHaveProperty('error', expect.stringContaining(said))
    expect(JSON.stringify(parsed)).not.toMatch(/secret|S"|AAx/)
  })
})

describe('resolveTarget', () => {
  it('finds a target by its name in the settings', () => {
    const named = { team: `slack:${SLACK}`, broken: 'slack:nowhere' }
    expect(resolveTarget('team', named)).toEqual({ kind: 'slack', url: SLACK })
    expect(resolveTarget('broken', named)).toHaveProperty(
      'error',
      expect.stringContaining('the target named broken'),
    )
    expect(resolveTarget('toString', named)).toHaveProperty('error')
  })

  it('never takes local from the settings', () => {
    expect(resolveTarget('local', { local: `slack:${SLACK}` })).toEqual({ kind: 'local' })
  })

  it('shows a name as the name it is', () => {
    expect(showTargetText('team')).toBe('team')
  })
})

it('knows which parts of a target are secret', () => {
  expect(secretsOf(parseTarget(`slack:${SLACK}`) as Target)).toContain('abcdefghijklmnop')
  expect(secretsOf(parseTarget('feishu:https://f.example/h#s3cret') as Target)).toContain('s3cret')
  expect(secretsOf({ kind: 'email', address: 'a@b.example' })).toEqual([])
})
