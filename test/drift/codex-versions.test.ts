// The installer itself, with an npm that writes the layout of codex's package instead of downloading it.
import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'

const platform = `@openai/codex-${process.platform}-${process.arch}/vendor/some-triple`

/** A cache folder of its own, and an npm that runs this shell script in the folder it installs into. */
async function makeCache(npmScript: string) {
  const root = await mkdtemp(path.join(tmpdir(), 'codex-versions-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const cache = path.join(root, 'drawbridge', 'codex-versions')
  await mkdir(cache, { recursive: true })
  const npm = path.join(root, 'npm')
  await writeFile(npm, `#!/bin/sh\necho called >> ${root}/calls\n${npmScript}\n`)
  await chmod(npm, 0o755)
  const run = (...args: string[]) => runScript(args, { XDG_CACHE_HOME: root, PATH: `${root}:/usr/bin:/bin` })
  const calls = async () => (await readFile(path.join(root, 'calls'), 'utf8')).trim().split('\n').length
  return { cache, run, calls }
}

async function runScript(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['scripts/codex-versions.mjs', ...args], { env, timeout: 30_000 })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout: stdout.trim(), stderr }
}

const writes = (folder: string) =>
  `mkdir -p node_modules/${platform}/${folder} && echo > node_modules/${platform}/${folder}/codex && sleep 0.5`

it.each(['bin', 'codex'])('gives the path of a binary in %s/, and reuses it', async (folder) => {
  const { cache, run, calls } = await makeCache(writes(folder))
  const binary = path.join(cache, '1.2.3', 'node_modules', platform, folder, 'codex')
  expect(await run('install', '1.2.3')).toMatchObject({ code: 0, stdout: binary })
  expect(await run('install', '1.2.3')).toEqual({ code: 0, stdout: binary, stderr: '' })
  expect(await calls()).toBe(1)
  expect((await run('list')).stdout).toBe('1.2.3')
})

it('installs once for two who ask at the same time', async () => {
  const { run, calls } = await makeCache(writes('bin'))
  const [one, other] = await Promise.all([run('install', '1.2.3'), run('install', '1.2.3')])
  expect(one.stdout).toBe(other.stdout)
  expect([one.code, other.code, await calls()]).toEqual([0, 0, 1])
})

it('does not wait for a process that is gone', async () => {
  const { cache, run } = await makeCache(writes('bin'))
  const gone = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => gone.on('exit', resolve))
  await writeFile(path.join(cache, '.lock-1.2.3'), String(gone.pid))
  expect(await run('install', '1.2.3')).toMatchObject({ code: 0 })
})

it.each([
  ['npm fails', 'echo no such version >&2; exit 1', 'no such version'],
  ['npm installs nothing for this platform', 'true', 'it has no binary for'],
])('says why and leaves nothing when %s', async (_, npmScript, why) => {
  const { cache, run } = await makeCache(npmScript)
  const { code, stdout, stderr } = await run('install', '1.2.3')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`codex 1.2.3 could not be installed: ${why}`)
  expect(await readdir(cache)).toEqual([])
})

it('removes one version, or all', async () => {
  const { cache, run } = await makeCache(writes('bin'))
  await Promise.all([run('install', '1.2.3'), run('install', '1.10.0'), run('install', '1.9.0')])
  expect((await run('list')).stdout.split('\n')).toEqual(['1.2.3', '1.9.0', '1.10.0'])
  await run('remove', '1.9.0')
  expect(await readdir(cache)).toEqual(['1.10.0', '1.2.3'])
  await run('remove')
  expect((await run('list')).stdout).toBe('')
})

it('takes nothing for a version that is a path', async () => {
  const { run } = await makeCache('true')
  expect(await run('remove', '../..')).toMatchObject({ code: 1, stderr: 'not a version of codex: ../..\n' })
  expect(await run('install')).toMatchObject({ code: 2 })
})
