// `drawbridge serve`, `status`, `stop` and what starts and finds the service.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/api/index.ts'
import { lastUserText, message, shell, slow, toolOutputs } from '../../../src/testing/index.ts'
import { eventually, taggedRunning } from '../../faults/processes.ts'
import { PROGRAM } from '../../support/program.ts'
import { serviceStage } from '../../support/service-stage.ts'

type Stage = Awaited<ReturnType<typeof serviceStage>>
interface Served {
  readonly url: string
  readonly loginLink: string
  readonly pid: number
}

/** `drawbridge serve --json` in front, as it has said where it is. */
async function serving({ env, cwd }: Stage, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json', ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    cwd,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, exited, served: JSON.parse(line) as Served, stderr: () => stderr }
}

describe('serve', () => {
  it('prints where it is and a link that works once; its record is private', async () => {
    const stage = await serviceStage(() => message('ok'))
    const { served, child, exited } = await serving(stage)
    expect(served).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      loginLink: expect.stringContaining(served.url),
      pid: child.pid,
      dataDir: stage.dataDir,
    })
    expect(stage.record()).toMatchObject({ url: served.url, pid: child.pid })
    expect(statSync(path.join(stage.dataDir, 'service.json')).mode & 0o777).toBe(0o600)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(existsSync(path.join(stage.dataDir, 'service.json'))).toBe(false)
  })

  it('refuses a data folder that is in use, and says who has it and where', async () => {
    const stage = await serviceStage(() => message('ok'))
    const { served } = await serving(stage)
    const second = await stage.cli(['serve'])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain(`process ${served.pid}`)
    expect(second.stderr).toContain(served.url)
  })

  it('refuses to be reached from elsewhere without TLS, and settings that make no sense', async () => {
    const { cli, dataDir } = await serviceStage(() => message('ok'))
    expect(await cli(['serve', '--host', '0.0.0.0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tls-cert'),
    })
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path.join(dataDir, 'settings.json'), '{ "maxWorkign": 1 }')
    expect(await cli(['serve'])).toMatchObject({ code: 2, stderr: expect.stringContaining('maxWorkign') })
    const needsIt = await cli(['task', 'list'])
    expect(needsIt).toMatchObject({ code: 1, stdout: '' })
    expect(needsIt.stderr).toMatch(/the service did not start; .*service\.log ends with:\n.*maxWorkign/)
  })

  it('leaves turns running when it is told to end, and takes them over at the next start', async () => {
    const stage = await serviceStage((request) =>
      toolOutputs(request).length === 0 ? [slow(4_000), shell('true')] : message('Survived.'),
    )
    const { child, exited } = await serving(stage)
    const { id } = await stage.start('go')
    await stage.model.waitForRequests(1)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(taggedRunning(stage.tag, 'app-server')).not.toEqual([])
    const next = await serving(stage)
    expect(next.stderr()).toContain(
      'Took over 1 app-server that went on running.\nFound 1 task at work again.\n',
    )
    expect(await stage.cli(['task', 'wait', id])).toMatchObject({ code: 0, stdout: 'Survived.\n' })
  })

  it('serves commands and browsers over TLS with a certificate of its own', async () => {
    const stage = await serviceStage(() => message('over TLS'))
    const [cert, key] = [path.join(stage.cwd, 'cert.pem'), path.join(stage.cwd, 'key.pem')]
    const subject = ['-subj', '/CN=bridge.example', '-days', '2', '-nodes', '-newkey', 'rsa:2048']
    execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    const { served } = await serving(stage, '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key)
    expect(served.url).toMatch(/^https:/)
    expect(await stage.cli(['task', 'start', '--wait', 'go'])).toMatchObject({
      code: 0,
      stdout: 'over TLS\n',
    })
  })
})

describe('finding the service', () => {
  it('ignores a record whose process is gone, or is another', async () => {
    const { cli, dataDir, record } = await serviceStage(() => message('ok'))
    await cli(['task', 'list'])
    const stale = record()
    process.kill(stale.pid, 'SIGKILL')
    expect(await cli(['status'])).toMatchObject({ code: 1 })
    expect((await cli(['task', 'list'])).stderr).toContain('Started the Drawbridge service')
    const current = record()
    // As after a restart of the machine: the pid lives, but it is not us.
    writeFileSync(path.join(dataDir, 'service.json'), JSON.stringify({ ...current, pid: process.pid }))
    expect(await cli(['status'])).toMatchObject({ code: 1 })
    writeFileSync(path.join(dataDir, 'service.json'), JSON.stringify(current))
    expect(await cli(['status'])).toMatchObject({ code: 0 })
  })

  it('starts one service for commands that come at the same time', async () => {
    const { cli, tag } = await serviceStage(() => message('ok'))
    const ends = await Promise.all([1, 2, 3].map(() => cli(['task', 'list', '--json'])))
    for (const end of ends) expect(end).toMatchObject({ code: 0, stdout: '[]\n' })
    // Those that came too late notice it, and end.
    await expect.poll(() => taggedRunning(tag, 'serve').length, { timeout: 20_000 }).toBe(1)
  })

  it('goes on with a new token at once when it was rotated', async () => {
    const { cli, dataDir, record } = await serviceStage(() => message('ok'))
    await cli(['task', 'list'])
    const old = readFileSync(path.join(dataDir, 'token'), 'utf8').trim()
    expect(await cli(['token', 'rotate', '--json'])).toMatchObject({ code: 0, stdout: '{"rotated":true}\n' })
    await expect(connect({ url: record().url, token: old }).status()).rejects.toMatchObject({
      code: 'unauthorized',
    })
    expect(await cli(['task', 'list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
    const link = await cli(['login-link'])
    expect(link).toMatchObject({ code: 0, stdout: expect.stringContaining(record().url) })
  })
})

describe('the built program', () => {
  it('starts itself in the background, and stops', async () => {
    const { env, cwd, record } = await serviceStage(() => message('Built.'))
    // Not in step with us: the scripted model has to answer meanwhile.
    const bridge = (...args: string[]) =>
      promisify(execFile)(path.resolve('bin/drawbridge'), args, {
        encoding: 'utf8',
        cwd,
        env: { ...process.env, ...env },
        timeout: 50_000,
      })
    expect(await bridge('task', 'start', '--wait', 'go')).toMatchObject({ stdout: 'Built.\n' })
    expect((await bridge('status', '--json')).stdout).toContain(record().url)
    expect(await bridge('stop')).toMatchObject({ stderr: 'Stopped.\n' })
  })
})

describe('status', () => {
  it('says that none runs, and else what it does', async () => {
    const { cli, json, start, record, dataDir } = await serviceStage(() => message('ok'))
    expect(await cli(['status'])).toMatchObject({ code: 1, stdout: `No service runs for ${dataDir}\n` })
    const { id } = await start('go')
    await cli(['task', 'wait', id])
    expect(await json('status')).toMatchObject({
      running: true,
      ...{ url: record().url, pid: record().pid },
      counts: { byStatus: { completed: 1 }, openApprovals: 0 },
      appServers: [{ state: 'running' }],
    })
    const { stdout } = await cli(['status'])
    expect(stdout).toMatch(
      /^Drawbridge \S+ at http.*\n {2}up .*\n {2}tasks: 1 completed\n {2}questions: none open\n/,
    )
    expect(stdout).toMatch(/pid \d+ +codex \d+\.\d+\.\d+ +running/)
  })
})

describe('stop', () => {
  it('lets running turns end, begins no other, then ends the app-servers', async () => {
    const { cli, start, json, model, tag } = await serviceStage((request) =>
      lastUserText(request) === 'slow' ? [slow(3_000), message('Ended in peace.')] : message('later'),
    )
    const { id } = await start('slow')
    await model.waitForRequests(1)
    const stopped = await cli(['stop'])
    expect(stopped).toMatchObject({ code: 0, stdout: '' })
    expect(stopped.stderr).toBe('Waiting for 1 turn to end …\nStopped.\n')
    expect(taggedRunning(tag, 'app-server')).toEqual([])
    expect(await json('task', 'wait', id)).toMatchObject({
      status: 'completed',
      result: { text: 'Ended in peace.' },
    })
    expect(await cli(['stop', '--now', '--kill'])).toMatchObject({ code: 2 })
  })

  it('with --now leaves the turns to their app-servers; with --kill interrupts them', async () => {
    const { cli, start, json, model, tag } = await serviceStage(() => [slow(60_000), message('never')])
    const { id } = await start('go')
    await model.waitForRequests(1)
    expect(await cli(['stop', '--now'])).toMatchObject({ code: 0 })
    expect(taggedRunning(tag, 'app-server')).not.toEqual([])
    expect(await json('task', 'wait', id, '--timeout', '1').catch(() => null)).toBeNull()
    expect(await cli(['stop', '--kill'])).toMatchObject({ code: 0 })
    await eventually(() => taggedRunning(tag, 'app-server').length === 0, 'app-servers have ended')
    expect(await cli(['task', 'wait', id])).toMatchObject({ code: 130 })
    expect(await cli(['stop', '--json'])).toMatchObject({ code: 0 })
    expect(await cli(['stop'])).toMatchObject({ code: 0, stderr: 'No service runs.\n' })
  })

  it('without a service tells of app-servers that were left running; with --kill ends them', async () => {
    const { cli, start, model, tag } = await serviceStage(() => [slow(60_000), message('never')])
    const { id } = await start('go')
    await model.waitForRequests(1)
    await cli(['stop', '--now'])
    expect((await cli(['stop'])).stderr).toMatch(/^No service runs. Left running: 1 app-server; .*\n$/)
    expect(taggedRunning(tag, 'app-server')).not.toEqual([])
    expect(await cli(['stop', '--kill'])).toMatchObject({
      code: 0,
      stderr: 'No service runs. Ended 1 app-server that had been left running.\n',
    })
    expect(taggedRunning(tag, 'app-server')).toEqual([])
    expect(await cli(['task', 'wait', id])).toMatchObject({ stderr: expect.stringContaining('lost') })
  })
})
