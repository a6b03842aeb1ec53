// Once before the tests that run the command line: as people run it, built from the sources as they are.
import { buildProgram } from '../../scripts/build-program.mjs'

/** Set where no test runs the command line: the copies that are mutated cannot be built. */
const isUnbuilt = process.env.DRAWBRIDGE_TEST_UNBUILT === '1'

export default async function prepare(): Promise<void> {
  if (!isUnbuilt) await buildProgram()
}
