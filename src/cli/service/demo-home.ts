import { mkdirSync } from 'node:fs'
import path from 'node:path'

/** The codex home of demo tasks: tasks with this one run on the scripted model of the service. */
export function demoHome(dataDir: string): string {
  return path.join(dataDir, 'demo', 'codex-home')
}

/** A home and a folder that demo tasks can be started with at once. */
export function demoOffer(dataDir: string): { codexHome: string; cwd: string } {
  const cwd = path.join(dataDir, 'demo', 'workspace')
  mkdirSync(cwd, { recursive: true, mode: 0o700 })
  return { codexHome: demoHome(dataDir), cwd }
}
