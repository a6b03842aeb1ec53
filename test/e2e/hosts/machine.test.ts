// This machine and a host behind a real sshd, held to the same words.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localMachine, type Machine } from '../../../src/hosts/index.ts'
import { type SshHost, sshHost } from '../../../src/hosts/ssh/index.ts'
import { configFor, specOf } from '../../support/ssh/open-host.ts'
import { openSshStage, type SshStage } from '../../support/ssh/open-ssh-stage.ts'

const ODD = `-o'd "d"\n$(x) \u{1f30a}`

let stage: SshStage
let dataDir: string
let last: SshHost | null = null

/** As the next service on the same data folder has it. */
async function openHostAgain(): Promise<SshHost> {
  await last?.close()
  const times = { retryBaseMs: 50, retryMaxMs: 200, aliveSeconds: 1, connectMs: 5_000 }
  const configFile = configFor(stage, dataDir, true)
  last = sshHost(specOf(stage), {
    ...{ dataDir, env: process.env, now: Date.now, random: Math.random, configFile, times },
  })
  return last
}

beforeAll(async () => {
  dataDir = realpathSync(mkdtempSync(path.join(tmpdir(), 'drawbridge-test-')))
  stage = await openSshStage({ profile: 'echo Welcome; echo noise >&2; export NOISE=1\n' })
})

afterAll(async () => {
  await last?.close()
  await stage.close()
  rmSync(dataDir, { recursive: true, force: true })
})

describe.each(['here', 'there'] as const)('a machine (%s)', (where) => {
  let machine: Machine
  let folder: string
  const at = (...names: string[]) => path.join(folder, ...names)
  const text = async (place: string) => (await machine.files.read(place, { maxBytes: 1000 })).toString('utf8')

  beforeAll(async () => {
    const env = { ...process.env, NOISE: '1' }
    machine =
      where === 'here'
        ? localMachine({ env, hidden: path.join(dataDir, 'data'), work: path.join(dataDir, 'work') })
        : (await openHostAgain()).machine
    folder = path.join((await machine.folders()).work, 'test')
    await machine.files.mkdir(folder)
  })

  it('runs programs with any words, in their folder, with the variables they are given', async () => {
    await machine.files.mkdir(at(ODD))
    const script = 'printf "%s|" "$@"; pwd; env; cat; echo no >&2; exit 7'
    const end = await machine.run({
      ...{ program: 'sh', args: ['-c', script, 'sh', ODD, '', '-n'], cwd: at(ODD) },
      ...{ env: { GIVEN: ODD }, input: Buffer.from([0, 255, 10]) },
    })
    expect(end).toMatchObject({ exitCode: 7, stderr: 'no', isCut: false })
    const said = end.stdout.toString('latin1')
    const odd = Buffer.from(ODD).toString('latin1')
    expect(said).toContain(`${odd}||-n|${at()}/${odd}\n`)
    expect(said).toContain(`GIVEN=${odd}\n`)
    expect(said).toMatch(/^PATH=/m)
    expect(said).not.toMatch(/NOISE|drawbridge_/)
    expect(end.stdout.subarray(-3)).toEqual(Buffer.from([0, 255, 10]))
  })

  it('bounds output, takes input from files and leaves output in them', async () => {
    const bytes = { program: 'head', args: ['-c', '3000000', '/dev/zero'] }
    const end = await machine.run({ ...bytes, maxBytes: 10 })
    expect([end.stdout.length, end.isCut]).toEqual([10, true])
    expect((await machine.run({ ...bytes, outputFile: at('zeros') })).stdout.length).toBe(0)
    const counted = await machine.run({ program: 'wc', args: ['-c'], inputFile: at('zeros') })
    expect(counted.stdout.toString().trim()).toBe('3000000')
    expect((await machine.run(bytes)).stdout.length).toBe(3_000_000)
  })

  it('says why a command could not run', async () => {
    const refused = (more: object) =>
      machine.run({ program: 'true', ...more }).catch((error: { code: string }) => error.code)
    expect(await refused({ program: 'no-such-program' })).toBe('program-missing')
    expect(await refused({ cwd: at('nowhere') })).toBe('folder-missing')
    expect(await refused({ inputFile: at('nowhere') })).toBe('not-found')
    expect(await refused({ program: 'sleep', args: ['60'], timeoutMs: 200 })).toBe('command-timed-out')
  })

  it('ends a command that is aborted', async () => {
    const aborting = new AbortController()
    const sleeps = machine.run({
      ...{ program: 'sh', args: ['-c', 'echo > begun; sleep 60'], cwd: folder, signal: aborting.signal },
    })
    await expect.poll(() => machine.files.lstat(at('begun'))).not.toBeNull()
    aborting.abort(new Error('enough'))
    await expect(sleeps).rejects.toThrow('enough')
    const left = await machine.run({ program: 'sh', args: ['-c', 'ps -eo args | grep "^sleep 60" || :'] })
    expect(left.stdout.toString()).toBe('')
  })

  it('streams in both directions, no faster than it is taken', async () => {
    const sent = Array.from({ length: 64 }, () => randomBytes(256 * 1024))
    const whole = createHash('sha256')
    for (const part of sent) whole.update(part)
    const running = await machine.open({
      program: 'sh',
      args: ['-c', 'tee copy; echo done >&2; exit 3'],
      cwd: folder,
    })
    const got = createHash('sha256')
    await Promise.all([
      pipeline(Readable.from(sent), running.stdin),
      pipeline(running.stdout, async (parts) => {
        for await (const part of parts) got.update(part)
      }),
    ])
    expect(await running.ended).toEqual({ exitCode: 3, stderr: 'done' })
    expect(got.digest('hex')).toBe(whole.digest('hex'))
    expect((await machine.files.stat(at('copy')))?.bytes).toBe(64 * 256 * 1024)
    const missing = await machine
      .open({ program: 'no-such-program' })
      .then(
        ({ ended }) => ended,
        (error) => Promise.reject(error),
      )
      .catch((error: { code: string }) => error.code)
    expect(missing).toBe('program-missing')
    const dropped = await machine.open({ program: 'yes' })
    dropped.stdin.end()
    dropped.stdout.destroy()
    await dropped.ended.catch(() => {})
  })

  it('reads and changes files', async () => {
    const { files } = machine
    const place = at('files')
    await files.mkdir(place, { only: true, mode: 0o750 })
    expect(await files.lstat(place)).toMatchObject({ kind: 'folder', mode: 0o750 })
    const odd = path.join(place, ODD)
    await files.write(odd, 'one', { mode: 0o640 })
    await files.write(odd, 'other')
    expect(await text(odd)).toBe('other')
    expect(await files.lstat(odd)).toEqual({ kind: 'file', bytes: 5, links: 1, mode: 0o600 })
    await files.create(path.join(place, 'made'), '')
    await files.copy(odd, path.join(place, 'copy'), { exclusive: true })
    await machine.run({ program: 'ln', args: ['-s', 'nowhere', 'dangling'], cwd: place })
    await machine.run({ program: 'ln', args: ['-s', 'copy', 'link'], cwd: place })
    await machine.run({ program: 'mkfifo', args: ['pipe'], cwd: place })
    const listed = await files.list(place)
    expect(Object.fromEntries(listed.map(({ name, kind }) => [name, kind]))).toEqual({
      ...{ [ODD]: 'file', made: 'file', copy: 'file', dangling: 'link', link: 'link', pipe: 'other' },
    })
    expect((await files.stat(path.join(place, 'link')))?.kind).toBe('file')
    expect(await files.stat(path.join(place, 'dangling'))).toBeNull()
    expect(await files.realPath(path.join(place, 'link'))).toBe(path.join(place, 'copy'))
    expect(await files.realPath(path.join(place, 'dangling'))).toBeNull()
    await files.rename(path.join(place, 'copy'), path.join(place, 'moved'))
    expect(await files.lstat(path.join(place, 'copy'))).toBeNull()
    await files.remove(place)
    await files.remove(place)
    expect(await files.list(place)).toEqual([])
  })

  it('refuses with a code', async () => {
    const { files } = machine
    await files.mkdir(at('full', 'inner'))
    await files.write(at('one'), 'one')
    await machine.run({ program: 'ln', args: ['-sf', 'one', 'link'], cwd: folder })
    const code = (work: Promise<unknown>) =>
      work.then(
        () => 'fine',
        (error: { code: string }) => error.code,
      )
    expect(await code(files.create(at('one'), 'two'))).toBe('exists')
    expect(await code(files.copy(at('one'), at('link'), { exclusive: true }))).toBe('exists')
    expect(await code(files.mkdir(at('full'), { only: true }))).toBe('exists')
    expect(await code(files.rename(at('one'), at('full')))).toBe('exists')
    expect(await code(files.rename(at('none'), at('two')))).toBe('not-found')
    expect(await code(files.read(at('none'), { maxBytes: 10 }))).toBe('not-found')
    expect(await code(files.read(at('one'), { maxBytes: 2 }))).toBe('too-large')
    expect(await code(files.read(at('full'), { maxBytes: 2 }))).toBe('file-failed')
    expect(await code(files.read(at('link'), { maxBytes: 9 }))).toBe('file-failed')
    expect((await files.read(at('link'), { maxBytes: 3, follow: true })).toString()).toBe('one')
    expect(await text(at('one'))).toBe('one')
  })
})

describe('a host, when its connection is cut', () => {
  it('runs a command once, and gives its end over the next connection', async () => {
    const { machine } = await openHostAgain()
    const { work } = await machine.folders()
    const script = 'echo x >> runs; while [ ! -e go ]; do sleep 0.05; done; cat; echo done'
    const runs = machine.run({ program: 'sh', args: ['-c', script], cwd: work, input: 'in' })
    await expect.poll(() => stage.run('sh', '-c', `cat ${work}/runs || :`)).toBe('x\n')
    await stage.killSessions()
    await stage.run('touch', `${work}/go`)
    expect((await runs).stdout.toString()).toBe('indone\n')
    expect(await stage.run('cat', `${work}/runs`)).toBe('x\n')
  })

  it('waits for what an earlier service left running, and ends its streams', async () => {
    const first = await openHostAgain()
    const { work } = await first.machine.folders()
    const script = 'echo > first-begun; while [ ! -e first-go ]; do sleep 0.05; done; echo > first-done'
    const runs = first.machine.run({ program: 'sh', args: ['-c', script], cwd: work })
    const stream = await first.machine.open({
      program: 'sh',
      args: ['-c', 'echo; exec sleep 300'],
      cwd: work,
    })
    await new Promise((begun) => stream.stdout.once('data', begun))
    await expect.poll(() => stage.run('ls', work)).toContain('first-begun')
    await first.close()
    await expect(runs).rejects.toMatchObject({ code: expect.stringMatching(/^ssh-/) })
    await expect(stream.ended).rejects.toMatchObject({ code: 'ssh-cut' })
    const next = await openHostAgain()
    const listed = next.machine.files.list(work)
    await stage.run('touch', `${work}/first-go`)
    expect((await listed).map(({ name }) => name)).toContain('first-done')
    expect((await stage.commands()).join()).not.toContain('sleep 300')
  })

  it('says that the host is away, and goes on when it is back', async () => {
    const { machine } = await openHostAgain()
    await machine.run({ program: 'true' })
    await stage.killSshd({ withSessions: true })
    const aborting = new AbortController()
    const waits = machine.run({ program: 'true', signal: aborting.signal })
    aborting.abort(new Error('no more'))
    await expect(waits).rejects.toThrow('no more')
    const later = machine.run({ program: 'echo', args: ['back'] })
    await stage.startSshd()
    expect((await later).stdout.toString()).toBe('back\n')
  })
})
