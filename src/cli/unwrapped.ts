/** codex shows `/bin/bash -lc '…'`; people want what is inside. */
export function unwrapped(command: string): string {
  return /^\S*\b(?:ba|z)?sh -l?c '([^']*)'$/.exec(command)?.[1] ?? command
}
