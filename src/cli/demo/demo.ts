// `drawbridge demo`: sets the stage, gives the tour and clears up, however it ends.
import { CodexUnsuitableError } from '../../hosts/index.ts'
import { EXIT } from '../exit-code.ts'
import { exitCode, resultOfError } from '../run/run-result.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { Narrator } from './narrator.ts'
import { FILES, modelScript } from './script.ts'
import { openStage } from './stage.ts'
import { giveTour } from './tour.ts'

export async function demo({ isPaced }: { isPaced: boolean }, surroundings: Surroundings): Promise<number> {
  const { env, stdout, useColour, interrupted: signal } = surroundings
  // All of it is for people, so all of it goes to stdout, in one order.
  const terminal = new Terminal({ stdout, stderr: stdout, useColour: useColour && stdout.isTTY === true })
  const narrator = new Narrator(terminal, { isPaced, signal })
  try {
    const stage = await openStage({ env, script: modelScript({ isPaced }), files: FILES })
    try {
      await giveTour({ stage, terminal, narrator, signal })
    } finally {
      await stage.close()
    }
    await farewell(narrator)
    return EXIT.done
  } catch (error) {
    return signal.aborted ? interrupted(terminal) : failed(terminal, error)
  }
}

async function farewell(narrator: Narrator): Promise<void> {
  await narrator.scene('What next', 'The folder and the Codex settings of this demo have been deleted.')
  await narrator.show(
    'drawbridge doctor       is your own Codex ready?',
    'drawbridge run "…"      a turn in the current folder, with your own Codex',
    'drawbridge run --help   sandbox, model, JSON output, resuming',
    'README.md               Codex from your own program: the library',
  )
}

function interrupted(terminal: Terminal): number {
  terminal.line('interrupted; nothing is left behind', 'yellow')
  return EXIT.interrupted
}

function failed(terminal: Terminal, error: unknown): number {
  const result = resultOfError(error, null)
  terminal.line(`✗ ${result.error?.message}`, 'red')
  if (error instanceof CodexUnsuitableError) terminal.line(`  → ${error.hint}`)
  return exitCode(result, false)
}
