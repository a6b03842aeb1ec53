import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import type { DoctorFlags } from './doctor.ts'

const HELP = `
Starts codex, asks it a few questions and ends it. Nothing is changed, and no model is called.
With --json stdout is one JSON value: ok, codex (path, source, version), codexHome, dataFolder, and checks, each with
id, status (ok, warn, fail), what and fix.

Exit codes:
  0    nothing failed; there may be warnings
  1    something failed
  2    bad usage
  5    codex is missing or unsuitable
  130  interrupted`

export function addDoctorCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('doctor')
    .summary('check whether Codex can run here')
    .description('Checks everything a run needs: codex, its settings, its login, its sandbox.')
    .option(
      '--codex <path>',
      'the codex program to check (default: $DRAWBRIDGE_CODEX, PATH, the bundled one)',
    )
    .option('--codex-home <folder>', "Codex's own folder (default: $CODEX_HOME, ~/.codex)")
    .option('--json', 'print one JSON value for programs')
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('./doctor.ts')
      surroundings.exit(await doctor(flags, surroundings))
    })
  addExamples(
    command,
    [
      'drawbridge doctor',
      'drawbridge doctor --codex ./codex-nightly',
      `drawbridge doctor --json | jq -r '.checks[] | select(.status != "ok") | .what'`,
    ],
    HELP,
  )
}
