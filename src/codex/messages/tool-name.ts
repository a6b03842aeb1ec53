const MAX_LENGTH = 64

/** A name chat APIs accept: letters, digits, `_` and `-`, at most 64. */
export function toolName(...parts: readonly string[]): string {
  const name = parts.map((part) => part.replace(/[^A-Za-z0-9_-]/g, '_')).join('__')
  return name.slice(0, MAX_LENGTH) || 'unknown'
}

/** codex shows the model `spawn_agent` and its clients `spawnAgent`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
