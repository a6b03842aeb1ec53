// Once before all browser tests: the console as it is in the sources, and a browser to look at it with.
import { buildConsole } from '../../../scripts/build-console.mjs'
import { readyChromium } from './chromium.ts'

export default async function prepare(): Promise<void> {
  readyChromium()
  await buildConsole()
}
