/** What the mode of a host means for a task there. */
export function hostModeText(mode: 'exec' | 'remote', name: string): string {
  return mode === 'remote'
    ? `remote: codex and its login are on ${name}, and work goes on there while this machine is off`
    : `exec: codex and its login stay on this machine, and commands run on ${name}`
}
