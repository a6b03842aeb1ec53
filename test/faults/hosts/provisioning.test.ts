// Bringing codex to a host, and what can be in the way.
import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { codexVersionHere } from '../../support/ssh/codex-here.ts'
import { openHost } from '../../support/ssh/open-host.ts'
import { type SshStage, sshStage } from '../../support/ssh/ssh-stage.ts'

const version = codexVersionHere()

/** A program of that name on the host, in a folder below its home. */
async function program(stage: SshStage, place: string, script: string): Promise<string> {
  const file = path.join(stage.homeHere, place)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return `${stage.home}/${place}`
}

describe('codex on a host', () => {
  it('that is there is used: also where only a login shell or a version manager has it', async () => {
    const stage = await sshStage()
    await program(stage, '.nvm/versions/node/v24.0.0/bin/codex', `echo "codex-cli ${version}"`)
    const { host } = openHost(stage)
    expect(await host.codex({ version })).toEqual({
      path: `${stage.home}/.nvm/versions/node/v24.0.0/bin/codex`,
      version,
      source: 'found',
    })
  })

  it('that is named is the only one, and what is wrong with it is told', async () => {
    const stage = await sshStage()
    const old = await program(stage, 'old/codex', 'echo "codex-cli 0.100.0"')
    const hanging = await program(stage, 'hanging/codex', 'sleep 1000')
    const odd = await program(stage, 'odd/codex', 'echo hello')
    const named = (codexPath: string) =>
      openHost(stage, { spec: { codexPath } }).host.codex({ version: null })
    await expect(named(`${stage.home}/none/codex`)).rejects.toMatchObject({ code: 'codex-not-found' })
    await expect(named(old)).rejects.toMatchObject({
      code: 'codex-too-old',
      message: expect.stringContaining('0.100.0'),
    })
    await expect(named(odd)).rejects.toMatchObject({ code: 'codex-version-failed' })
    await expect(named(hanging)).rejects.toMatchObject({ code: 'codex-version-timed-out' })
    await expect(named(`${stage.home}/it's "$(odd)"; rm -rf x/codex`)).rejects.toMatchObject({
      code: 'codex-not-found',
    })
    expect(await named('~/newest/codex').catch(({ code }) => code)).toBe('codex-not-found')
    await program(stage, 'newest/codex', `echo "codex-cli ${version}"`)
    expect(await named('~/newest/codex')).toMatchObject({ version, source: 'named' })
  })

  it('is brought when the one there does not fit, arrives whole, and is used again', async () => {
    const stage = await sshStage()
    await program(stage, '.local/bin/codex', 'echo "codex-cli 0.100.0"')
    const { host } = openHost(stage)
    const sent: number[] = []
    const brought = await host.codex({ version, onProgress: ({ sentBytes }) => sent.push(sentBytes) })
    expect(brought).toMatchObject({ version, source: 'brought' })
    expect(brought.path).toMatch(
      new RegExp(`^${stage.home}/\\.cache/drawbridge/codex/${version}-[0-9a-f]{8}/bin/codex$`),
    )
    expect(sent.length).toBeGreaterThan(10)
    const cache = path.join(stage.homeHere, '.cache/drawbridge/codex')
    // One that nobody has used for long is removed, one that was used lately is not.
    for (const [name, days] of [
      ['0.1.0-00000000', 30],
      ['0.2.0-00000000', 1],
    ] as const) {
      await program(stage, `.cache/drawbridge/codex/${name}/bin/codex`, 'exit 1')
      const stamp = path.join(cache, name, '.used')
      writeFileSync(stamp, '')
      const at = Date.now() / 1000 - days * 86_400
      utimesSync(stamp, at, at)
      await stage.own(`.cache/drawbridge/codex/${name}`)
    }
    expect(await host.codex({ version, onProgress: () => expect.unreachable() })).toEqual(brought)
    const current = path.basename(path.dirname(path.dirname(brought.path)))
    expect(readdirSync(cache).sort()).toEqual([current, '0.2.0-00000000'].sort())
  })

  it('that is cut off on its way leaves nothing, and is brought at the next try', async () => {
    const stage = await sshStage()
    const { host } = openHost(stage, { options: { times: { retryBaseMs: 50 } } })
    const cut = Promise.withResolvers<void>()
    const half = host.codex({
      version,
      onProgress: ({ sentBytes, totalBytes }) => sentBytes > totalBytes / 3 && cut.resolve(),
    })
    half.catch(() => {})
    await cut.promise
    await stage.killSessions()
    await expect(half).rejects.toMatchObject({ code: 'ssh-cut', retryable: true })
    const stop = new AbortController()
    const stopped = host.codex({ version, signal: stop.signal, onProgress: () => stop.abort() })
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
    expect(await host.codex({ version })).toMatchObject({ source: 'brought' })
    const left = () =>
      readdirSync(path.join(stage.homeHere, '.cache/drawbridge/codex')).filter((name) =>
        name.startsWith('.new'),
      )
    await expect.poll(left).toEqual([])
  })

  it('that is not what was sent is thrown away', async () => {
    const stage = await sshStage({ profile: 'PATH="$HOME/strange:$PATH"\n' })
    await program(stage, 'strange/sha256sum', 'cat > /dev/null; echo "00000000  -"')
    const { host } = openHost(stage)
    await expect(host.codex({ version })).rejects.toMatchObject({
      code: 'host-upload-broken',
      retryable: true,
    })
    expect(readdirSync(path.join(stage.homeHere, '.cache/drawbridge/codex'))).toEqual([])
  })

  it('finds no room, or a home that cannot be written', async () => {
    const stage = await sshStage()
    await stage.run('mkdir', '-p', `${stage.home}/.cache`)
    await stage.noRoom(`${stage.home}/.cache`)
    const { host } = openHost(stage)
    await expect(host.codex({ version })).rejects.toMatchObject({
      code: 'host-no-room',
      hint: expect.stringContaining('make room'),
    })
    const other = await sshStage()
    await other.readOnlyHome()
    const { host: readOnly } = openHost(other)
    await expect(readOnly.codex({ version })).rejects.toMatchObject({ code: 'host-not-writable' })
  })

  it('is not brought to a machine that it is not made for', async () => {
    const stage = await sshStage({ profile: 'PATH="$HOME/strange:$PATH"\n' })
    await program(stage, 'strange/uname', 'case $1 in -m) echo riscv64;; *) echo Linux;; esac')
    const { host } = openHost(stage)
    await expect(host.codex({ version })).rejects.toMatchObject({
      code: 'host-unsupported',
      message: expect.stringContaining('linux-riscv64'),
    })
    await program(stage, 'strange/uname', 'case $1 in -m) echo arm64;; *) echo Darwin;; esac')
    await expect(host.codex({ version })).rejects.toMatchObject({
      code: 'host-unsupported',
      hint: expect.stringContaining('@openai/codex-darwin-arm64'),
    })
    expect(existsSync(path.join(stage.homeHere, '.cache'))).toBe(false)
  })
})
