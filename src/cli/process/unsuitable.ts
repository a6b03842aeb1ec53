/** No login, the codes of hosts' CodexUnsuitableError, and of the failures made of them; a codex that ran and died is neither. */
export function isUnsuitable(code: string): boolean {
  return (code.startsWith('codex-') && code !== 'codex-crashed') || code === 'not-logged-in'
}
