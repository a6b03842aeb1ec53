// The named token that tools on stdio act as.
import type { AddToken, DrawbridgeClient, Token } from '../../api/index.ts'
import { ApiError } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'

const DEFAULT_NAME = 'mcp'

/**
 * What an agent may do unless a person made the token otherwise: see and continue the tasks it started itself, in a
 * sandbox that lets them change their own folder. Whatever leaves the sandbox is asked, and not answered by the agent.
 */
const DEFAULT_TOKEN: AddToken = {
  name: DEFAULT_NAME,
  tasks: 'own',
  may: ['read', 'start'],
  ceiling: { sandbox: 'workspace-write', preset: 'workspace', network: false, folders: null },
}

/** Made at the first use of the default name. One that a person revoked, or of another name, is not made. */
export async function agentToken(client: DrawbridgeClient, name: string): Promise<Token> {
  const tokens = (await client.tokens()).filter((token) => token.name === name)
  const valid = tokens.find(({ state }) => state === 'valid')
  if (valid) return valid
  if (name === DEFAULT_NAME && tokens.length === 0) return makeToken(client)
  const state = tokens[0]?.state
  throw new DrawbridgeError(
    `${state === undefined ? `there is no token ${name}` : `the token ${name} is ${state}`}: make one with \`drawbridge token add ${name}\``,
    { code: 'not-permitted' },
  )
}

async function makeToken(client: DrawbridgeClient): Promise<Token> {
  try {
    return (await client.addToken(DEFAULT_TOKEN)).token
  } catch (error) {
    // Two clients began at the same moment.
    if (!(error instanceof ApiError) || error.code !== 'name-taken') throw error
    return agentToken(client, DEFAULT_NAME)
  }
}
