// `drawbridge doctor`: examines, prints the report, and says how that ends.
import { styleText } from 'node:util'
import { EXIT, type Surroundings } from '../process/index.ts'
import { diagnose } from './diagnose.ts'
import { exitCodeOf, type Page, reportText } from './report.ts'

export interface DoctorFlags {
  readonly codex?: string
  readonly codexHome?: string
  readonly json?: boolean
}

export async function doctor(
  { codex, codexHome, json }: DoctorFlags,
  surroundings: Surroundings,
): Promise<number> {
  const { env, stdout, interrupted } = surroundings
  try {
    const report = await diagnose({ env, codexPath: codex, codexHome, signal: interrupted })
    stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, pageOf(surroundings)))
    return exitCodeOf(report)
  } catch (error) {
    if (interrupted.aborted) return EXIT.interrupted
    throw error
  }
}

/** Lines are broken for a terminal only: what is piped is for grep. */
function pageOf({ stdout, useColour }: Surroundings): Page {
  const hasColour = useColour && stdout.isTTY === true
  return {
    columns: stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
    paint: (text, colour) => (hasColour ? styleText(colour, text, { validateStream: false }) : text),
  }
}
