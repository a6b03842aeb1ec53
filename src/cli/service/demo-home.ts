import path from 'node:path'

/** The codex home of demo tasks: tasks with this one run on the scripted model of the service. */
export function demoHome(dataDir: string): string {
  return path.join(dataDir, 'demo', 'codex-home')
}
