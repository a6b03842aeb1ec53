import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readyChromium } from './chromium.ts'

const ADVICE = 'install chromium, or set DRAWBRIDGE_CHROMIUM to the program of one'

/** A machine whose only programs are these scripts. They write down how they were called. */
function machineWith(programs: Readonly<Record<string, string>>, { isRoot = true, given = '' } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'machine-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const calls = path.join(folder, 'calls')
  for (const [name, script] of Object.entries(programs)) {
    const file = path.join(folder, name)
    writeFileSync(file, `#!/bin/sh\nhere='${folder}'\necho "${name} $*" >> '${calls}'\n${script}\n`)
    chmodSync(file, 0o755)
  }
  const told: string[] = []
  return {
    machine: {
      env: { PATH: folder, DRAWBRIDGE_CHROMIUM: given },
      isRoot,
      tell: (line: string) => void told.push(line),
    },
    folder,
    told,
    calls: () =>
      existsSync(calls) ? readFileSync(calls, 'utf8').replaceAll(`${folder}/`, '').split('\n') : [],
  }
}

const APT = `[ "$1" = update ] && exit 0
[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 1
echo '#!/bin/sh' > "$here/chromium"; /bin/chmod +x "$here/chromium"`
const INSTALL = 'install --yes --no-install-recommends chromium-headless-shell'

describe('a chromium', () => {
  it('that is there is taken, and nothing is installed', () => {
    const { machine, folder, calls, told } = machineWith({ chromium: '', 'apt-get': APT })
    expect(readyChromium({}, machine)).toBe(path.join(folder, 'chromium'))
    expect([calls(), told]).toEqual([[], []])
  })

  it('that is named is taken, and must be one', () => {
    const { machine } = machineWith({ chromium: '' }, { given: '/bin/sh' })
    expect(readyChromium({}, machine)).toBe('/bin/sh')
    const wrong = machineWith({ chromium: '' }, { given: '/nowhere/chromium' })
    expect(() => readyChromium({}, wrong.machine)).toThrow(
      'DRAWBRIDGE_CHROMIUM is no program: /nowhere/chromium',
    )
  })

  it('that is missing is installed by root, after the lists, and we are told', () => {
    const { machine, folder, calls, told } = machineWith({ 'apt-get': APT })
    expect(readyChromium({}, machine)).toBe(path.join(folder, 'chromium'))
    expect(calls()).toEqual(['apt-get update', `apt-get ${INSTALL}`, ''])
    expect(told).toEqual(['Installing chromium with apt-get (once) …'])
  })

  it('is installed by others with sudo, where it asks for no password', () => {
    const sudo = 'shift; exec "$@"'
    const { machine, calls } = machineWith({ 'apt-get': APT, sudo }, { isRoot: false })
    readyChromium({}, machine)
    expect(calls()).toEqual([
      'sudo -n apt-get update',
      'apt-get update',
      `sudo -n apt-get ${INSTALL}`,
      `apt-get ${INSTALL}`,
      '',
    ])
  })

  it('is the whole program where there is no package without its windows', () => {
    const apt = `case "$*" in *headless*) exit 100;; esac\n${APT}`
    const { machine, folder } = machineWith({ 'apt-get': apt })
    expect(readyChromium({}, machine)).toBe(path.join(folder, 'chromium'))
  })

  it('with all that a person has is another program', () => {
    const { machine, folder } = machineWith({ 'chromium-headless-shell': '', chromium: '' })
    expect(readyChromium({}, machine)).toBe(path.join(folder, 'chromium-headless-shell'))
    expect(readyChromium({ isWhole: true }, machine)).toBe(path.join(folder, 'chromium'))
  })

  it('that cannot be installed is asked for, with the reason', () => {
    const failing = { 'apt-get': 'echo "E: Unable to locate package" >&2; exit 100' }
    const why = (programs: Record<string, string>, isRoot = true) =>
      expect(() => readyChromium({}, machineWith(programs, { isRoot }).machine))
    why(failing).toThrow(
      `there is no chromium and it cannot be installed (E: Unable to locate package): ${ADVICE}`,
    )
    why(failing, false).toThrow(`there is no chromium and only root can install it: ${ADVICE}`)
    why({ 'apt-get': '', sudo: 'echo "sudo: a password is required" >&2; exit 1' }, false).toThrow(
      `(sudo: a password is required): ${ADVICE}`,
    )
    why({}).toThrow(`there is no chromium and no apt-get to install it with: ${ADVICE}`)
  })
})
