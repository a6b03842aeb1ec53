import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { demoHint } from './demo-hint.ts'

function home(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'home-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}

const hint = (env: NodeJS.ProcessEnv, isWanted = false, script = path.resolve('bin/drawbridge')) =>
  demoHint(env, { isWanted, script }).join('\n')

it('tells who has no login how to see something work', () => {
  expect(hint({ CODEX_HOME: home() })).toContain('drawbridge task start --demo')
  expect(hint({ CODEX_HOME: home({ 'config.toml': 'model = "x"\n' }) })).toMatch(
    /^For the real thing .*drawbridge login$/m,
  )
})

it('says nothing to who has a login, a key or a provider, unless it is wanted', () => {
  expect(hint({ CODEX_HOME: home({ 'auth.json': '{}' }) })).toBe('')
  expect(hint({ CODEX_HOME: home(), OPENAI_API_KEY: 'x' })).toBe('')
  const own = { CODEX_HOME: home({ 'config.toml': 'model_provider = "mine"\n' }) }
  expect(hint(own)).toBe('')
  expect(hint(own, true)).toContain('drawbridge task start --demo')
})

it('names the program as the shell can find it', () => {
  const env = { CODEX_HOME: home(), PATH: home() }
  const inTheClone = `  ${path.resolve('bin/drawbridge')} task start --demo`
  expect(hint(env)).toContain(inTheClone)
  // As the launcher starts it where the Node of the shell is too old.
  expect(hint(env, false, path.resolve('dist/cli/main.js'))).toContain(inTheClone)
  expect(hint(env, false, '/elsewhere/main.js')).toContain('  drawbridge task start --demo')
  expect(hint({ ...env, PATH: home({ drawbridge: '' }) })).toContain('  drawbridge task start --demo')
})
