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

const hint = (env: NodeJS.ProcessEnv, isWanted = false) => demoHint(env, { isWanted }).join('\n')

it('tells who has no login how to see something work', () => {
  expect(hint({ CODEX_HOME: home() })).toContain('drawbridge task start --demo')
  expect(hint({ CODEX_HOME: home({ 'config.toml': 'model = "x"\n' }) })).toContain('`drawbridge login`')
})

it('says nothing to who has a login or a provider, unless it is wanted', () => {
  expect(hint({ CODEX_HOME: home({ 'auth.json': '{}' }) })).toBe('')
  const own = { CODEX_HOME: home({ 'config.toml': 'model_provider = "mine"\n' }) }
  expect(hint(own)).toBe('')
  expect(hint(own, true)).toContain('drawbridge task start --demo')
})

it('does not take a key in the environment for a login: codex does not read it', () => {
  expect(hint({ CODEX_HOME: home(), OPENAI_API_KEY: 'x' })).toContain('drawbridge login')
})
