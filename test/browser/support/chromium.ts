// A real browser: Debian's chromium, which is installed when it is missing and this may be done.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function findChromium(): string {
  const given = process.env.DRAWBRIDGE_CHROMIUM
  const found = [given, ...PLACES].find((place) => place !== undefined && existsSync(place))
  if (found) return found
  console.error('Installing chromium …')
  try {
    execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], {
      stdio: ['ignore', 2, 2],
    })
  } catch {
    throw new Error('there is no chromium here and it cannot be installed: set DRAWBRIDGE_CHROMIUM to one')
  }
  return PLACES[0]!
}

/** Each launch has a profile of its own, which ends with it. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ARGS, headless: true })
}
