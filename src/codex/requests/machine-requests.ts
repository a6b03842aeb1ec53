// Requests that a program answers, never a person: without a handler only an error, or the plain truth, will do.
import { Refusal } from '../wire/index.ts'
import type { Family } from './family.ts'

function cannot(why: string): never {
  throw new Refusal(why, -32000)
}

export const toolCall: Family<'item/tool/call'> = {
  refuse: (params) => ({
    contentItems: [{ type: 'inputText', text: `The tool ${params?.tool ?? ''} is not available.` }],
    success: false,
  }),
}

export const tokenRefresh: Family<'account/chatgptAuthTokens/refresh'> = {
  refuse: () => cannot('no ChatGPT tokens are managed by this client'),
}

export const attestation: Family<'attestation/generate'> = {
  refuse: () => cannot('this client does not attest'),
}

/** Only refused when a handler of the caller's fails; the client tells the time by itself. */
export const currentTime: Family<'currentTime/read'> = {
  refuse: () => cannot('the time could not be told'),
}
