// What codex itself knows and people want to see.
import type { Codex } from '../../codex/index.ts'

export async function modelsOf(codex: Codex): Promise<readonly unknown[]> {
  const models: unknown[] = []
  for await (const model of codex.list('model/list', {})) models.push(model)
  return models
}

/** Who is logged in, the limits of the account where there is one, and whose home it is. */
export async function accountOf(codex: Codex): Promise<unknown> {
  const account = await codex.request('account/read', {})
  const rateLimits = await codex.request('account/rateLimits/read', {} as never).catch(() => null)
  return { ...account, rateLimits, codexHome: codex.codexHome }
}
