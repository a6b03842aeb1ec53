// Once before all browser tests: the program and its console as they are in the sources, and a browser to look at it with.
import { buildConsole } from '../../../scripts/build-console.mjs'
import { buildProgram } from '../../../scripts/build-program.mjs'
import { readyChromium } from './chromium.ts'

export default async function prepare(): Promise<void> {
  readyChromium()
  await buildProgram()
  await buildConsole()
}
