import type { protocol } from '../../codex/index.ts'
import { type Check, fail, ok } from './check.ts'

type AccountReply = protocol.v2.GetAccountResponse
type Account = NonNullable<AccountReply['account']>

const LOG_IN =
  'run `codex login` (`codex login --device-auth` without a browser here), or `printenv OPENAI_API_KEY | codex login --with-api-key`'

export function judgeLogin({ account, requiresOpenaiAuth }: AccountReply): Check {
  if (account) return ok('login', `logged in ${describeAccount(account)}`)
  if (!requiresOpenaiAuth)
    return ok('login', 'not needed: the configured model provider takes no OpenAI login')
  return fail('login', 'not logged in to OpenAI', LOG_IN)
}

function describeAccount(account: Account): string {
  switch (account.type) {
    case 'chatgpt':
      return `with ChatGPT${account.email ? ` as ${maskedEmail(account.email)}` : ''}, plan ${account.planType}`
    case 'apiKey':
      return 'with an OpenAI API key'
    case 'amazonBedrock':
      return 'through Amazon Bedrock'
    case 'gcp':
      return 'through Google Cloud'
    default:
      return `(${(account as { type: string }).type})`
  }
}

/** Enough to recognize one's own address, not enough to tell others. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email[0]}***${email.slice(at)}`
}
