import type { protocol } from '../../codex/index.ts'
import { describeAccount } from '../account/index.ts'
import { type Check, fail, ok } from './check.ts'

type AccountReply = protocol.v2.GetAccountResponse

const LOG_IN = 'run `drawbridge login`, or `printenv OPENAI_API_KEY | drawbridge login --key`'

export function judgeLogin({ account, requiresOpenaiAuth }: AccountReply): Check {
  if (account) return ok('login', `logged in ${describeAccount(account, maskedEmail)}`)
  if (!requiresOpenaiAuth)
    return ok('login', 'not needed: the configured model provider takes no OpenAI login')
  return fail('login', 'not logged in to OpenAI', LOG_IN)
}

/** Enough to recognize one's own address, not enough to tell others. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email[0]}***${email.slice(at)}`
}
