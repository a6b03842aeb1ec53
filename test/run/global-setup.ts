// Once before the tests that run the command line: as people run it, built from the sources as they are.
import { buildProgram } from '../../scripts/build-program.mjs'

export default async function prepare(): Promise<void> {
  await buildProgram()
}
