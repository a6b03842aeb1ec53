import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AppServer } from '../../codex/index.ts'
import { INITIALIZE, Reading } from '../fixtures/reading.ts'
import { realCodex, scratch } from '../fixtures/scratch.ts'
import { identify, processesWithMarker } from '../processes.ts'
import { until } from '../until.ts'
import { type LocalHostOptions, localHost } from './local-host.ts'

const { executable, fakeCodex, freshCodexHome, scratchFolder } = scratch(onTestFinished)

async function openReal(options: LocalHostOptions): Promise<AppServer> {
  const appServer = await localHost({ codexPath: realCodex, ...options }).open()
  onTestFinished(() => appServer.close())
  return appServer
}

function recordIn(registryDir: string): { id: string; pid: number } {
  const [file] = readdirSync(registryDir)
  return JSON.parse(readFileSync(path.join(registryDir, file!), 'utf8'))
}

describe('the real codex', () => {
  it('answers, is on record while it runs, and leaves nothing when closed', async () => {
    const registryDir = path.join(scratchFolder(), 'made', 'app-servers')
    const codexHome = freshCodexHome()
    const appServer = await openReal({ codexHome, registryDir })
    const record = recordIn(registryDir)
    expect(record).toMatchObject({
      pid: appServer.pid,
      ownerPid: process.pid,
      codexPath: realCodex,
      codexHome,
    })
    expect(statSync(registryDir).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(registryDir, `${record.id}.json`)).mode & 0o777).toBe(0o600)

    const reading = new Reading(appServer.channel)
    appServer.channel.send(INITIALIZE)
    expect(JSON.parse(await reading.lineWith('"id":1')).result.codexHome).toBe(codexHome)
    expect(appServer.codexVersion).toMatch(/^\d+\.\d+\.\d+$/)

    await Promise.all([appServer.close(), appServer.close()])
    expect((await reading.end()).message).toBe('Drawbridge closed this app-server')
    expect(identify(appServer.pid!)).toBeNull()
    expect(await processesWithMarker(record.id)).toEqual([])
    expect(readdirSync(registryDir)).toEqual([])
  })

  it('starts five times at once on a fresh home', async () => {
    const codexHome = freshCodexHome()
    const answers = Array.from({ length: 5 }, async () => {
      const appServer = await openReal({ codexHome, registryDir: null })
      const reading = new Reading(appServer.channel)
      appServer.channel.send(INITIALIZE)
      return reading.lineWith('"id":1')
    })
    expect(await Promise.all(answers)).toHaveLength(5)
  })

  it.runIf(process.platform === 'linux')(
    'hands its marker to the commands it runs, whatever its shell policy',
    async () => {
      const registryDir = scratchFolder()
      const config = { 'shell_environment_policy.inherit': '"core"' }
      const appServer = await openReal({ codexHome: freshCodexHome(), registryDir, config })
      const { id } = recordIn(registryDir)
      const reading = new Reading(appServer.channel)
      appServer.channel.send(INITIALIZE)
      await reading.lineWith('"id":1')
      const params = {
        command: ['sh', '-c', 'setsid -f sleep 300; sleep 300'],
        sandboxPolicy: { type: 'dangerFullAccess' },
      }
      appServer.channel.send(JSON.stringify({ id: 2, method: 'command/exec', params }))
      await expect.poll(async () => (await processesWithMarker(id)).length, { timeout: 5000 }).toBe(4)
      await appServer.close()
      expect(await processesWithMarker(id)).toEqual([])
    },
  )

  it('says why when it cannot start', async () => {
    const config = { approval_policy: '"untrusted"' }
    const appServer = await openReal({ codexHome: freshCodexHome(), registryDir: null, config })
    const reason = await new Reading(appServer.channel).end()
    expect(reason.message).toBe('codex exited with code 1')
    expect(reason.stderrTail.join('\n')).toContain('no longer supported')
  })
})

describe('a codex that misbehaves', () => {
  async function openFake(plan: object, options: LocalHostOptions = {}): Promise<AppServer> {
    const extraEnv = { FAKE_CODEX: JSON.stringify(plan) }
    return openReal({
      codexPath: fakeCodex(),
      codexHome: scratchFolder(),
      registryDir: null,
      extraEnv,
      ...options,
    })
  }

  it('is ended with its stubborn children, in their own sessions, reparented, or holding its pipe', async () => {
    const folder = scratchFolder()
    const registryDir = path.join(folder, 'registry')
    const stubborn = (name: string) => `trap "" TERM; echo $$ > ${folder}/${name}; exec sleep 300`
    const starts = [
      { script: stubborn('session') },
      { script: `setsid -f sh -c '${stubborn('orphan')}'` },
      { script: stubborn('mcp'), likeMcp: true },
      { script: stubborn('pipe'), sharesStdout: true },
    ]
    const appServer = await openFake({ starts, ignoresEnd: true }, { registryDir })
    const files = ['session', 'orphan', 'mcp', 'pipe'].map((name) => path.join(folder, name))
    expect(await until(() => files.every((file) => existsSync(file) && statSync(file).size > 0), 5000)).toBe(
      true,
    )
    const startedAt = performance.now()
    await appServer.close()
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(identify(appServer.pid!)).toBeNull()
    expect(files.map((file) => identify(Number(readFileSync(file, 'utf8'))))).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(readdirSync(registryDir)).toEqual([])
  })

  it('that dies by itself leaves no child and no record', async () => {
    const folder = scratchFolder()
    const registryDir = path.join(folder, 'registry')
    const starts = [
      { script: 'exec sleep 300' },
      { script: `echo $$ > ${folder}/mcp; exec sleep 300`, likeMcp: true },
    ]
    const appServer = await openFake({ starts, stdout: ['ready\n'] }, { registryDir })
    const { id } = recordIn(registryDir)
    const reading = new Reading(appServer.channel)
    await reading.lineWith('ready')
    expect(await until(() => existsSync(`${folder}/mcp`) && statSync(`${folder}/mcp`).size > 0, 5000)).toBe(
      true,
    )
    process.kill(appServer.pid!, 'SIGKILL')
    expect((await reading.end()).message).toBe('codex was ended by SIGKILL')
    expect(await until(() => readdirSync(registryDir).length === 0, 5000)).toBe(true)
    expect(await processesWithMarker(id)).toEqual([])
    expect(identify(Number(readFileSync(`${folder}/mcp`, 'utf8')))).toBeNull()
    await appServer.close()
  })

  it('gets only what the environment allows', async () => {
    const codexPath = executable('#!/bin/sh\n[ "$1" = --version ] && echo 0.150.0 && exit\nenv\nexit 0\n')
    const env = { PATH: process.env.PATH, HOME: '/home/ada', SECRET: 'x', CHOSEN: 'y' }
    const codexHome = path.join(scratchFolder(), 'not', 'there', 'yet')
    const host = localHost({ codexPath, codexHome, env, passEnv: ['CHOSEN'], registryDir: null })
    const reading = new Reading((await host.open()).channel)
    await reading.end()
    expect(reading.lines).toEqual(
      expect.arrayContaining(['HOME=/home/ada', 'CHOSEN=y', `CODEX_HOME=${codexHome}`]),
    )
    expect(reading.lines.join('\n')).not.toContain('SECRET')
    expect(statSync(codexHome).isDirectory()).toBe(true)
  })

  it('finds the default home made, if the user has a home', async () => {
    const codexPath = executable('#!/bin/sh\n[ "$1" = --version ] && echo 0.150.0 && exit\nexit 0\n')
    const userHome = scratchFolder()
    for (const HOME of [userHome, path.join(userHome, 'none')]) {
      const host = localHost({ codexPath, env: { PATH: process.env.PATH, HOME }, registryDir: null })
      await new Reading((await host.open()).channel).end()
    }
    expect(readdirSync(userHome)).toEqual(['.codex'])
  })
})

describe('an open that fails', () => {
  const codexHome = () => scratchFolder()

  it('names the missing codex, the missing folder, or the registry that cannot be written', async () => {
    await expect(localHost({ codexPath: '/nowhere/codex' }).open()).rejects.toMatchObject({
      code: 'codex-not-found',
    })
    const options = { codexPath: fakeCodex(), codexHome: codexHome() }
    const inNoFolder = localHost({ ...options, registryDir: null, cwd: '/nowhere' })
    await expect(inNoFolder.open()).rejects.toMatchObject({ code: 'cwd-not-found' })
    const unwritable = localHost({ ...options, registryDir: path.join(options.codexPath, 'registry') })
    await expect(unwritable.open()).rejects.toMatchObject({ code: 'registry-not-writable' })
  })

  it('leaves nothing when it is aborted, at whatever moment', async () => {
    const marker = `aborted-${process.pid}-${performance.now()}`
    const options = { codexPath: fakeCodex(), codexHome: codexHome(), registryDir: scratchFolder() }
    const host = localHost({ ...options, extraEnv: { ABORT_TEST: marker } })
    await (await host.open()).close()
    for (const afterMs of [0, 1, 2, 4, 8]) {
      const signal = afterMs ? AbortSignal.timeout(afterMs) : AbortSignal.abort()
      const opened = await host.open({ signal }).catch(() => null)
      await opened?.close()
    }
    expect(readdirSync(options.registryDir)).toEqual([])
    expect(processesNaming(marker)).toEqual([])
  })

  it('waits no longer for the first start of another when it is aborted', async () => {
    const options = { codexPath: fakeCodex(), codexHome: codexHome(), registryDir: null }
    const silent = await localHost(options).open()
    const signal = AbortSignal.timeout(50)
    await expect(localHost(options).open({ signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    await silent.close()
  })
})

function processesNaming(text: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}
