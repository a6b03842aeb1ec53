import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../src/testing/index.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { type CliEnd, runCli } from '../support/run-cli.ts'

const codex = path.resolve(bundledCodex())

async function folder(files: Record<string, string> = {}): Promise<string> {
  const made = await makeWorkspace({ files })
  onTestFinished(() => made.remove())
  return made.path
}

async function doctor(args: readonly string[], codexHome: string): Promise<CliEnd> {
  const env = { DRAWBRIDGE_HOME: path.join(await folder(), 'data'), CODEX_HOME: codexHome }
  return runCli(['doctor', ...args], { env, timeoutMs: 40_000 })
}

function checksIn({ stdout }: CliEnd): Record<string, { status: string; what: string; fix: string | null }> {
  return Object.fromEntries(JSON.parse(stdout).checks.map((check: { id: string }) => [check.id, check]))
}

const ownProvider = `model_provider = "own"
[model_providers.own]
name = "own"
base_url = "http://127.0.0.1:1/v1"
wire_api = "responses"
requires_openai_auth = false
`

describe('drawbridge doctor', () => {
  it('finds everything but a login in a fresh CODEX_HOME', async () => {
    const home = await folder()
    const end = await doctor(['--json', '--codex', codex], home)
    expect(end).toMatchObject({ code: 1, stderr: '' })
    const report = JSON.parse(end.stdout)
    expect(report).toMatchObject({ ok: false, codexHome: home, codex: { path: codex, source: 'option' } })
    const checks = checksIn(end)
    for (const id of ['node', 'data-folder', 'codex', 'handshake', 'codex-home', 'config', 'sandbox'])
      expect(checks[id], id).toMatchObject({ status: 'ok' })
    expect(checks.login).toMatchObject({ status: 'fail', fix: expect.stringContaining('drawbridge login') })
  })

  it('is ready, for people too, where no login is needed', async () => {
    const end = await doctor(['--codex', codex], await folder({ 'config.toml': ownProvider }))
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(end.stdout).toMatch(/^✓ login +not needed/m)
    expect(end.stdout).toMatch(/^✓ sandbox +a command ran in the read-only sandbox and could not write/m)
    expect(end.stdout).toMatch(/\nReady: .*\n$/)
  })

  it('names the file and the line when config.toml is broken', async () => {
    const home = await folder({ 'config.toml': 'model = "x\n[broken\n' })
    const end = await doctor(['--json', '--codex', codex], home)
    expect(end.code).toBe(1)
    const { config } = checksIn(end)
    expect(config).toMatchObject({ status: 'fail' })
    expect(config?.what).toContain(`${path.join(home, 'config.toml')}:2:`)
  })

  it('says what codex said when a setting keeps it from starting', async () => {
    const home = await folder({ 'config.toml': 'approval_policy = "untrusted"\n' })
    const end = await doctor(['--json', '--codex', codex], home)
    expect(end.code).toBe(1)
    const { handshake } = checksIn(end)
    expect(handshake?.what).toMatch(/exited with code 1: Error: approval_policy = "untrusted" is no longer/)
    expect(handshake?.fix).toContain(path.join(home, 'config.toml'))
  })

  it('passes on what codex warns of', async () => {
    const home = await folder({ 'config.toml': 'no_such_setting = 1\n' })
    const { stdout } = await doctor(['--codex', codex], home)
    expect(stdout).toMatch(/^! notice .*config\.toml.*`no_such_setting` is ignored/m)
  })

  it('does not make a CODEX_HOME that is missing', async () => {
    const home = path.join(await folder(), 'missing')
    const end = await doctor(['--json', '--codex', codex, '--codex-home', home], '/nowhere')
    expect(end.code).toBe(1)
    expect(checksIn(end)['codex-home']).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('mkdir'),
    })
    expect(existsSync(home)).toBe(false)
  })

  it('ends with 5 when there is no codex', async () => {
    const end = await doctor(['--json', '--codex', '/no/such/codex'], await folder())
    expect(end.code).toBe(5)
    expect(JSON.parse(end.stdout)).toMatchObject({ ok: false, codex: null })
    expect(checksIn(end).codex).toMatchObject({
      status: 'fail',
      what: expect.stringContaining('/no/such/codex'),
    })
  })

  it('ends with 5 when codex is too old', async () => {
    const old = path.join(await folder({ codex: '#!/bin/sh\necho codex-cli 0.100.0\n' }), 'codex')
    chmodSync(old, 0o755)
    const end = await doctor(['--codex', old], await folder())
    expect(end.code).toBe(5)
    expect(end.stdout).toMatch(/✗ codex +.* is 0\.100\.0; Drawbridge needs .*\n +→ update it/)
  })

  it('says so when codex never answers the handshake', async () => {
    const script = '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 || exec sleep 300\n'
    const mute = path.join(await folder({ codex: script }), 'codex')
    chmodSync(mute, 0o755)
    const end = await doctor(['--json', '--codex', mute], await folder())
    expect(end.code).toBe(1)
    expect(checksIn(end).handshake?.what).toContain('did not answer initialize')
  })

  it.runIf(canForbidNamespaces())('shows why the sandbox does not work', async () => {
    const home = await folder({ 'config.toml': ownProvider })
    const wrapped = `unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"'`
    const script = `#!/bin/sh\nexec ${wrapped} ${codex} "$@"\n`
    const caged = path.join(await folder({ codex: script }), 'codex')
    chmodSync(caged, 0o755)
    const end = await doctor(['--json', '--codex', caged], home)
    expect(end.code).toBe(1)
    const { sandbox } = checksIn(end)
    expect(sandbox).toMatchObject({ status: 'fail', fix: expect.stringContaining('user namespaces') })
    expect(sandbox?.what).toContain('namespace')
  })
})

function canForbidNamespaces(): boolean {
  try {
    execFileSync('sh', ['-c', "unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces'"])
    return true
  } catch {
    return false
  }
}
