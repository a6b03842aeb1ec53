import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { canonicalKey } from './canonical-key.ts'

const { scratchFolder } = scratch(onTestFinished)

it('is one key for one home, however that is written', () => {
  const folder = scratchFolder()
  const home = path.join(folder, 'home')
  mkdirSync(home)
  symlinkSync(home, path.join(folder, 'link'))
  const other = { env: { HOME: folder } }
  const keyOf = (codexHome: string | null, host: { env: NodeJS.ProcessEnv }) =>
    canonicalKey({ codexPath: null, codexHome, execHost: null }, host).codexHome
  for (const written of [home, `${home}/`, path.join(folder, 'link'), `${folder}/x/../home`])
    expect(keyOf(written, other)).toBe(home)
  for (const written of [null, home, path.join(folder, 'link')])
    expect(keyOf(written, { env: { CODEX_HOME: `${home}/` } })).toBeNull()
  expect(keyOf(path.join(folder, '.codex'), other)).toBeNull()
  expect(keyOf('/nowhere/home/', other)).toBe('/nowhere/home')
  // An empty one is none: then the default is below HOME, whatever the folder we are in.
  const empty = { env: { HOME: folder, CODEX_HOME: '' } }
  expect([keyOf(path.join(folder, '.codex'), empty), keyOf(process.cwd(), empty)]).toEqual([
    null,
    process.cwd(),
  ])
})

it('is one key for one codex, but the one that is found stays apart from the one that is named', () => {
  const folder = scratchFolder()
  symlinkSync('/bin/sh', path.join(folder, 'codex'))
  const keyOf = (codexPath: string | null) =>
    canonicalKey({ codexPath, codexHome: null, execHost: null }, { env: {} }).codexPath
  expect(keyOf(path.join(folder, 'codex'))).toBe(keyOf('/bin/sh'))
  expect([keyOf(null), keyOf('codex')]).toEqual([null, 'codex'])
})
