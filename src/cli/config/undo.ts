import { undoConfig } from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { backupsOf, type ConfigFlags, homeOf } from './config-place.ts'

/** `drawbridge config undo`: takes back what was last written to this CODEX_HOME. */
export function runUndo(flags: ConfigFlags, surroundings: Surroundings): number {
  const undone = undoConfig(homeOf(flags, surroundings), backupsOf(flags, surroundings))
  if (flags.json) printJson(surroundings, undone)
  else {
    const kept = undone.hasKeptOthers ? '; what was changed since is kept' : ''
    tell(surroundings, `Taken back: \`${undone.what}\` of ${undone.at} (${undone.files.join(', ')})${kept}.`)
  }
  return EXIT.done
}
