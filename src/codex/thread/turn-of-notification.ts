/** Others, such as late completions and token usage after a resume, may speak of a turn that is long over. */
export function beginsTurn(method: string): boolean {
  return method === 'turn/started' || method === 'item/started' || method === 'item/agentMessage/delta'
}

/** Most notifications carry `turnId`; the ones about the turn itself carry the turn. */
export function turnIdOf(params: unknown): string | undefined {
  const { turnId, turn } = (params ?? {}) as { turnId?: string; turn?: { id?: string } }
  return turnId ?? turn?.id
}
