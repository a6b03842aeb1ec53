import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../src/codex/index.ts'

/** Runs a launcher on this Node, which claims to be another version. */
function launch(launcher: string, args: readonly string[], claimedVersion?: string) {
  const claim = `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(claimedVersion)} });`
  const script = `${claimedVersion ? claim : ''} process.argv.splice(1, 0, 'drawbridge'); require(${JSON.stringify(launcher)})`
  return spawnSync(process.execPath, ['-e', script, '--', ...args], { encoding: 'utf8', timeout: 20_000 })
}

/** The launcher alone in a folder, with whatever else is needed put beside it. */
function aloneIn(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'launcher-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync('bin', path.join(folder, 'bin'), { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
  return path.join(folder, 'bin/drawbridge')
}

const main = { 'dist/cli/main.cjs': "console.log('ran on', process.versions.node)" }

describe('bin/drawbridge', () => {
  it('runs the built command line', () => {
    const end = spawnSync('bin/drawbridge', ['--version'], { encoding: 'utf8', timeout: 20_000 })
    expect(end).toMatchObject({ status: 0, stdout: `${VERSION}\n` })
  })

  it('goes on with the Node of the repository when started on an old one, and passes on its exit code', () => {
    const launcher = path.resolve('bin/drawbridge')
    expect(launch(launcher, ['--version'], '20.20.2')).toMatchObject({ status: 0, stdout: `${VERSION}\n` })
    expect(launch(launcher, ['no-such-command'], '22.17.9').status).toBe(2)
  })

  it('says what is needed, with exit code 5, when there is no newer Node', () => {
    const end = launch(aloneIn(main), [], '18.0.0')
    expect(end.status).toBe(5)
    expect(end.stderr).toContain('needs Node 22.18 or newer; this is Node 18.0.0')
  })

  it('says that it must be built first, with exit code 5', () => {
    const end = launch(aloneIn({}), [])
    expect(end.status).toBe(5)
    expect(end.stderr).toContain('npm run setup')
  })

  it.each(['22.18.0', '24.0.0', '26.1.0'])('runs in place on Node %s', (version) => {
    expect(launch(aloneIn({ ...main, 'package.json': '{"type":"module"}' }), [], version)).toMatchObject({
      status: 0,
      stdout: `ran on ${version}\n`,
    })
  })
})
