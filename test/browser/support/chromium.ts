// A real browser: the chromium of this machine, installed where there is none and this may be done.
import { type Browser, chromium } from 'playwright-core'
import { HERE, isProgram, type Machine, readyProgram } from '../../support/ready-program.ts'

const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ADVICE = 'install chromium, or set DRAWBRIDGE_CHROMIUM to the program of one'
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Without its windows it comes first: the same pages take 40 % less processor time. It shows no notifications. */
const CHROMIUM = {
  name: 'chromium',
  packages: ['chromium-headless-shell', 'chromium'],
  programs: ['chromium-headless-shell', ...WHOLE],
  advice: ADVICE,
}
const WHOLE_CHROMIUM = { ...CHROMIUM, packages: ['chromium'], programs: WHOLE }

export interface ChromiumOptions {
  /** With all that a person has, notifications too. */
  readonly isWhole?: boolean | undefined
}

/** Each launch has a profile of its own, which ends with it. */
export function openChromium(options: ChromiumOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath: readyChromium(options), args: ARGS, headless: true })
}

/** The program of a chromium, which is installed first when there is none. Throws what to do when it cannot be. */
export function readyChromium({ isWhole = false }: ChromiumOptions = {}, machine: Machine = HERE): string {
  const given = machine.env.DRAWBRIDGE_CHROMIUM
  if (given && !isProgram(given)) throw new Error(`DRAWBRIDGE_CHROMIUM is no program: ${given}`)
  return given || readyProgram(isWhole ? WHOLE_CHROMIUM : CHROMIUM, machine)
}
