/** Where a notice goes. Holds secrets: `showTarget` takes them out. */
export type Target =
  | { readonly kind: 'local' }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'slack'; readonly url: string }
  | { readonly kind: 'slack-bot'; readonly token: string; readonly channel: string }
  | { readonly kind: 'telegram'; readonly token: string; readonly chat: string }
  | { readonly kind: 'discord'; readonly url: string }
  | { readonly kind: 'feishu'; readonly url: string; readonly secret: string | null }
  | { readonly kind: 'email'; readonly address: string }

export type TargetKind = Target['kind']
export type TargetOf<Kind extends TargetKind> = Extract<Target, { readonly kind: Kind }>

/** With secrets taken out, for lists, logs and events. The path of a url is one: whoever knows it can post there. */
export function showTarget(target: Target): string {
  switch (target.kind) {
    case 'local':
      return 'local'
    case 'slack-bot':
      return `slack:${target.token.slice(0, 5)}…@${target.channel}`
    case 'telegram':
      return `telegram:${target.token.split(':')[0]}:…@${target.chat}`
    case 'email':
      return `email:${target.address}`
    case 'webhook':
    case 'slack':
    case 'discord':
    case 'feishu':
      return `${target.kind}:${showUrl(target.url)}`
  }
}

export function showUrl(text: string): string {
  const url = new URL(text)
  const isBare = url.pathname === '/' && url.search === ''
  return `${url.protocol}//${url.host}${isBare ? '' : '/…'}`
}

/** Its secrets, one by one, to be hidden wherever an answer repeats them. */
export function secretsOf(target: Target): readonly string[] {
  switch (target.kind) {
    case 'local':
    case 'email':
      return []
    case 'slack-bot':
    case 'telegram':
      return [target.token]
    case 'webhook':
    case 'slack':
    case 'discord':
    case 'feishu':
      return [...urlSecrets(target.url), ...('secret' in target && target.secret ? [target.secret] : [])]
  }
}

/**
 * Those of its secrets that are hidden wherever they stand. Parts of a url are among them only when they look random: an
 * ordinary word in it must not be taken out of every text.
 */
export function secretsToRegister(target: Target): readonly string[] {
  if (!('url' in target)) return secretsOf(target)
  const url = new URL(target.url)
  const parts = [...url.searchParams.values(), ...url.pathname.split('/')]
  const whole = `${url.pathname}${url.search}`
  return [
    url.password,
    ...('secret' in target && target.secret ? [target.secret] : []),
    ...parts.filter((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part)),
    ...(whole.length > 16 ? [whole] : []),
  ].filter((secret) => secret !== '')
}

function urlSecrets(text: string): readonly string[] {
  const url = new URL(text)
  const segments = url.pathname.split('/').filter((segment) => segment.length >= 16)
  const whole = `${url.pathname}${url.search}`
  return [url.password, ...url.searchParams.values(), ...segments, ...(whole.length > 8 ? [whole] : [])]
}

/** Whether what stands before the `@` of a url can be read. */
export function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
