import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { backupDatabase, checkDatabase, openDatabase } from '../../tasks/index.ts'
import { backupInProcess, keepBackups } from './keep-backups.ts'

const SELF = [process.execPath, path.resolve('src/cli/main.ts')] as const
const HOUR = 60 * 60 * 1000

describe('daily backups', () => {
  it('are looked for five minutes after the start, then every hour', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { file, copies } = await scratch()
    let now = Date.UTC(2026, 10, 17)
    const make = (to: string) => backupDatabase({ file, to }).then(() => {})
    const backups = keepBackups(file, { tell: fail, now: () => now, make })
    const passes = async (ms: number) => {
      now += ms
      vi.advanceTimersByTime(ms)
      await backups.idle()
    }
    await passes(5 * 60 * 1000 - 1)
    expect(copies()).toHaveLength(0)
    await passes(1)
    expect(copies()).toHaveLength(1)
    for (let hours = 0; hours < 23; hours++) await passes(HOUR)
    expect(copies()).toHaveLength(1)
    await passes(HOUR)
    expect(copies()).toHaveLength(2)
    await backups.stop()
  })

  it('are skipped with one line while the disk has no room, and made once it has', async () => {
    const { file, copies } = await scratch()
    const said: string[] = []
    let free = 1_024
    const make = (to: string) => backupDatabase({ file, to }).then(() => {})
    const tell = (line: string) => said.push(line)
    const backups = keepBackups(file, { tell, now: Date.now, make, freeBytes: async () => free })
    onTestFinished(() => backups.stop())
    await backups.look()
    await backups.look()
    expect(said).toEqual([
      expect.stringMatching(/^No daily backup: the disk has 0\.0 MB free, and it needs \d\.\d MB, twice the/),
    ])
    free = 1_024 ** 3
    await backups.look()
    expect(copies()).toHaveLength(1)
    expect(said).toHaveLength(1)
  })

  it('that fail are told in one line and tried again at the next look', async () => {
    const { file, copies } = await scratch()
    const said: string[] = []
    const make = vi
      .fn((to: string) => backupDatabase({ file, to }).then(() => {}))
      .mockRejectedValueOnce(new Error('the disk is tired'))
    const backups = keepBackups(file, { tell: (line) => said.push(line), now: Date.now, make })
    onTestFinished(() => backups.stop())
    await backups.look()
    expect(copies()).toHaveLength(0)
    await backups.look()
    expect(copies()).toHaveLength(1)
    expect(said).toEqual(['The daily backup failed: the disk is tired'])
  })

  it('end with the service, without a word, and none begins afterwards', async () => {
    const { file, copies } = await scratch()
    const began = Promise.withResolvers<void>()
    const make = vi.fn(async (_: string, { signal }: { signal: AbortSignal }) => {
      began.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const backups = keepBackups(file, { tell: fail, now: Date.now, make })
    const looked = backups.look()
    await began.promise
    await backups.stop()
    await looked
    await backups.look()
    expect(make).toHaveBeenCalledTimes(1)
    expect(copies()).toHaveLength(0)
  })
})

describe('a backup in a process of its own', () => {
  it('is a checked copy', async () => {
    const { file, dataDir } = await scratch()
    const to = `${file}.copy`
    await backupInProcess(to, { self: SELF, dataDir, env: process.env }, never())
    expect(await checkDatabase(to)).toEqual([])
  })

  it('rejects with what the process said', async () => {
    const { dataDir, file } = await scratch()
    const place = { self: SELF, dataDir: path.join(dataDir, '..'), env: process.env }
    await expect(backupInProcess(`${file}.copy`, place, never())).rejects.toThrow('there is no database at')
  })

  it('is killed when the signal aborts', async () => {
    const { dataDir, file } = await scratch()
    const controller = new AbortController()
    const self = [process.execPath, '-e', 'setInterval(() => {}, 1_000)', '--'] as const
    const running = backupInProcess(
      `${file}.copy`,
      { self: [...self], dataDir, env: process.env },
      controller,
    )
    controller.abort(new Error('the service is stopping'))
    await expect(running).rejects.toThrow('the service is stopping')
  })
})

async function scratch() {
  const folder = mkdtempSync(path.join(tmpdir(), 'keep-backups-'))
  const dataDir = path.join(folder, 'data')
  const database = await openDatabase({ dataDir, now: Date.now })
  onTestFinished(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const copies = () => readdirSync(dataDir).filter((name) => name.endsWith('-daily'))
  return { dataDir, file: database.file, copies }
}

function fail(line: string): never {
  throw new Error(`said: ${line}`)
}

function never(): { signal: AbortSignal } {
  return new AbortController()
}
