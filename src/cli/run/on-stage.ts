// `run` with `--demo`: the same run, on the demo model and in a sample, and afterwards where to go from there.

import { openStage, refuseForDemo, tellNext } from '../demo/index.ts'
import type { Surroundings } from '../process/index.ts'
import type { RunFlags } from './turn-request.ts'

interface Place {
  readonly cwd: string
  readonly codexHome: string
  readonly extraEnv: Readonly<Record<string, string>>
}

// A proxy knows nothing of a model on loopback.
const DIRECT = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' }

/** Plays there, and leaves nothing of it behind. */
export async function onStage(
  flags: RunFlags,
  surroundings: Surroundings,
  play: (at: Place) => Promise<number>,
): Promise<number> {
  refuseForDemo(flags)
  const { env, stderr } = surroundings
  const isPaced = !flags.json && stderr.isTTY === true
  const stage = await openStage({ env, codexPath: flags.codex, isPaced })
  try {
    return await play({ cwd: stage.folder, codexHome: stage.codexHome, extraEnv: DIRECT })
  } finally {
    await stage.close()
    if (!flags.json && !surroundings.interrupted.aborted) tellNext(surroundings)
  }
}
