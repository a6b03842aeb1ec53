import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asTyped, callItBy, typedName } from './typed-name.ts'

describe('how the program is called', () => {
  let root = ''
  let launcher = ''
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'typed-'))
    launcher = path.join(root, 'clone', 'bin', 'drawbridge')
    for (const folder of ['clone/bin', 'global', 'other', 'clone/node_modules/.bin'])
      mkdirSync(path.join(root, folder), { recursive: true })
    writeFileSync(launcher, '')
    writeFileSync(path.join(root, 'other', 'drawbridge'), '')
    for (const folder of ['global', 'clone/node_modules/.bin'])
      symlinkSync(launcher, path.join(root, folder, 'drawbridge'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const nameIn = (cwd: string | null, folders: string[], more: NodeJS.ProcessEnv = {}) => {
    const PATH = folders.map((folder) => path.join(root, folder)).join(path.delimiter)
    return typedName({ script: launcher, env: { PATH, ...more }, cwd: cwd && path.join(root, cwd) })
  }

  it('is its name, where the shell finds this very program by it', () => {
    expect(nameIn('clone', ['other', 'global'])).toBe('drawbridge')
    expect(nameIn(null, ['global'])).toBe('drawbridge')
  })

  it('is its path where the shell finds none, or another, or only npm does', () => {
    expect(nameIn('clone', [])).toBe('bin/drawbridge')
    expect(nameIn('clone', ['other', 'clone/node_modules/.bin'])).toBe('bin/drawbridge')
    expect(nameIn('clone/bin', [])).toBe('./drawbridge')
    expect(nameIn('global', [])).toBe(launcher)
    expect(nameIn(null, [])).toBe(launcher)
  })

  it('is npx where that runs it', () => {
    expect(nameIn('clone', ['global'], { npm_command: 'exec' })).toBe('npx drawbridge')
    const script = path.join(root, '_npx', '1f', 'node_modules', '.bin', 'drawbridge')
    expect(typedName({ script, env: { npm_command: 'exec' }, cwd: root })).toBe('npx codex-drawbridge')
  })

  it('is quoted where a shell would take it apart', () => {
    const script = "/home/jane's code/bin/drawbridge"
    expect(typedName({ script, env: {}, cwd: '/' })).toBe(`'home/jane'\\''s code/bin/drawbridge'`)
  })

  it('is its name when it runs without the launcher', () => {
    expect(typedName({ script: '/clone/src/cli/main.ts', env: {}, cwd: '/' })).toBe('drawbridge')
  })
})

describe('our own text', () => {
  afterEach(() => callItBy(() => 'drawbridge'))

  it('names commands as they are typed, and leaves all else', () => {
    let looks = 0
    callItBy(() => {
      looks++
      return 'bin/drawbridge'
    })
    expect(asTyped('run `drawbridge login`, or: drawbridge task start --demo')).toBe(
      'run `bin/drawbridge login`, or: bin/drawbridge task start --demo',
    )
    const other = 'Drawbridge runs; /srv/drawbridge data, codex-drawbridge is, drawbridge: no'
    expect(asTyped(other)).toBe(other)
    expect(looks).toBe(1)
  })
})
