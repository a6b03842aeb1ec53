import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makeCodexHome, message, startScriptedModel } from '../../src/testing/index.ts'

it('the library code of the README runs as it stands, on the built package', async () => {
  const [, code] = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'))!
  expect(
    code!
      .trim()
      .split('\n')
      .filter((line) => line !== '').length,
  ).toBeLessThanOrEqual(10)
  await using model = await startScriptedModel([message('It is a bridge.', { chunkSize: 4 })])
  await using home = await makeCodexHome(model)
  // Inside the repository the package can import itself by name, which goes through its exports to dist/.
  const file = `test/e2e/.readme-${process.pid}.mjs`
  writeFileSync(file, code!)
  onTestFinished(() => rmSync(file))
  const env = { ...process.env, CODEX_HOME: home.path, DRAWBRIDGE_HOME: `${home.path}/drawbridge` }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 30_000 })
  expect(stdout).toMatch(/^It is a bridge\.\n/)
  expect(stdout).toContain("status: 'completed'")
})
