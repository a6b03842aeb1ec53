import { createHash } from 'node:crypto'
import path from 'node:path'
import { samplesFolder } from '../demo/index.ts'

/** The codex home of demo tasks: tasks with this one run on the demo model of the service. */
export function demoHome(dataDir: string): string {
  return path.join(dataDir, 'demo', 'codex-home')
}

/** A home and a folder that demo tasks can be started with at once: each gets a sample of its own in the folder. */
export function demoOffer(dataDir: string, env: NodeJS.ProcessEnv): { codexHome: string; cwd: string } {
  const name = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 6)
  return { codexHome: demoHome(dataDir), cwd: path.join(samplesFolder(env), name) }
}
