// Reads a target as people write it. An error says how to write it right, and never repeats what may be a secret.
import { redact } from '../../codex/index.ts'
import { canDecode, showTarget, type Target } from './target.ts'

export interface BadTarget {
  readonly error: string
}

const KINDS = 'local, webhook:, slack:, telegram:, discord:, feishu: or email:'
const READERS: Readonly<Record<string, (rest: string) => Target | BadTarget>> = {
  webhook: (rest) => withUrl(rest, 'webhook:https://host/path', (url) => ({ kind: 'webhook', url })),
  slack: readSlack,
  telegram: readTelegram,
  discord: (rest) =>
    withUrl(rest, 'discord:https://discord.com/api/webhooks/…', (url) => ({ kind: 'discord', url })),
  feishu: readFeishu,
  email: readEmail,
}

export function parseTarget(text: string): Target | BadTarget {
  const trimmed = text.trim()
  if (trimmed === 'local') return { kind: 'local' }
  const [, kind, rest] = /^([a-z]+):(.*)$/is.exec(trimmed) ?? []
  const read = READERS[kind?.toLowerCase() ?? '']
  if (read && rest !== undefined) return read(rest.trim())
  if (/^https?$/i.test(kind ?? '')) return { error: 'say what kind of target this url is: webhook:https://…' }
  return {
    error: `"${nameIn(trimmed)}" is not a target: it begins with ${KINDS}, or is a name from the settings`,
  }
}

/** Names of targets in the settings. Told from targets by having no colon. */
export type NamedTargets = Readonly<Record<string, string>>

/** A target as written, or by its name in the settings. */
export function resolveTarget(text: string, named: NamedTargets): Target | BadTarget {
  const name = text.trim()
  const target = Object.hasOwn(named, name) && name !== 'local' ? named[name] : undefined
  if (target === undefined) return parseTarget(text)
  const parsed = parseTarget(target)
  return 'error' in parsed ? { error: `the target named ${name}: ${parsed.error}` } : parsed
}

/** As `showTarget`, for a text that may be a name, or no target at all. */
export function showTargetText(text: string): string {
  const parsed = parseTarget(text)
  return 'error' in parsed ? nameIn(text.trim()) : showTarget(parsed)
}

function readSlack(rest: string): Target | BadTarget {
  const [, token, channel] = /^(xox[a-z]-[\w-]+)@([\w#.-]+)$/.exec(rest) ?? []
  if (token && channel) return { kind: 'slack-bot', token, channel }
  if (rest.startsWith('xox')) return { error: 'write a Slack bot as slack:<token>@<channel id>' }
  return withUrl(rest, 'slack:https://hooks.slack.com/services/…', (url) => ({ kind: 'slack', url }))
}

function readTelegram(rest: string): Target | BadTarget {
  const [, token, at, chat] = /^(\d+:[\w-]+)@(@?)(-?\d+|[A-Za-z]\w{3,})$/.exec(rest) ?? []
  if (!token || !chat) return { error: 'write a Telegram chat as telegram:<bot token>@<chat id>' }
  const isName = at === '@' || /^[A-Za-z]/.test(chat)
  return { kind: 'telegram', token, chat: isName ? `@${chat}` : chat }
}

function readFeishu(rest: string): Target | BadTarget {
  const [text, secret] = rest.split('#', 2) as [string, string?]
  return withUrl(text, 'feishu:https://open.feishu.cn/open-apis/bot/v2/hook/…', (url) => ({
    kind: 'feishu',
    url,
    secret: secret || null,
  }))
}

/** One plain address: nothing that a mail header would read as a second one. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*$/

function readEmail(rest: string): Target | BadTarget {
  const address = rest.replace(/^mailto:/i, '')
  if (ADDRESS.test(address) && address.length <= 254) return { kind: 'email', address }
  return { error: 'write an e-mail target as email:name@host, one address' }
}

function withUrl(text: string, example: string, make: (url: string) => Target): Target | BadTarget {
  const url = URL.parse(text)
  if (!url) return { error: `that is not a url: write ${example}` }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { error: `only urls of http and https are targets: write ${example}` }
  }
  if (!canDecode(`${url.username}${url.password}`)) {
    return { error: 'write a percent sign in the name or password of a url as %25' }
  }
  return make(text)
}

/** What may be shown of a text that could not be read: a name, or its first word. */
function nameIn(text: string): string {
  return /^[\w.-]{1,40}$/.test(text) ? redact(text) : `${/^\w{0,20}/.exec(text)![0]}…`
}
