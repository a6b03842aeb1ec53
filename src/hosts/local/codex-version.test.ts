import { chmodSync, closeSync, existsSync, openSync, readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realCodex, scratch } from '../fixtures/scratch.ts'
import { identify } from '../processes.ts'
import { until } from '../until.ts'
import { CodexUnsuitableError } from './codex-unsuitable-error.ts'
import { codexVersion, spawnFailure } from './codex-version.ts'

const { executable, scratchFolder } = scratch(onTestFinished)

const env = { PATH: process.env.PATH! }

async function refusal(
  codexPath: string,
  options: { timeoutMs?: number } = {},
): Promise<CodexUnsuitableError> {
  const error = await codexVersion(codexPath, { env, ...options }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CodexUnsuitableError)
  return error as CodexUnsuitableError
}

const answering = (answer: string) => executable(`#!/bin/sh\n${answer}\n`)

describe('the version of codex', () => {
  it('is what the real one says', async () => {
    const version = await codexVersion(realCodex, { env: { ...env, CODEX_HOME: scratchFolder() } })
    const manifest = path.join(path.dirname(realCodex), '../../../package.json')
    expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toContain(version)
  })

  it('is read with input closed, from among other words', async () => {
    expect(
      await codexVersion(answering('cat; echo "note 1\ncodex-cli 0.130.0-alpha.1 (2026)"'), { env }),
    ).toBe('0.130.0')
  })

  it('is remembered until the file changes', async () => {
    const count = path.join(scratchFolder(), 'count')
    const codex = answering(`echo run >> ${count}; echo 0.140.0`)
    await codexVersion(codex, { env })
    await codexVersion(codex, { env })
    expect(readFileSync(count, 'utf8')).toBe('run\n')
    utimesSync(codex, 1, 1)
    await codexVersion(codex, { env })
    expect(readFileSync(count, 'utf8')).toBe('run\nrun\n')
  })
})

describe('a codex that will not do', () => {
  it('is too old before 0.125.0', async () => {
    const error = await refusal(answering('echo codex-cli 0.124.9'))
    expect(error).toMatchObject({ code: 'codex-too-old', hint: expect.stringContaining('npm install -g') })
    expect(error.message).toContain('0.124.9')
    expect(await codexVersion(answering('echo 0.125.0'), { env })).toBe('0.125.0')
    expect(await codexVersion(answering('echo 1.0.0'), { env })).toBe('1.0.0')
  })

  it('is missing, not executable, or no program', async () => {
    expect(await refusal('/nowhere/codex')).toMatchObject({ code: 'codex-not-found' })
    const plain = answering('echo 0.150.0')
    chmodSync(plain, 0o644)
    expect(await refusal(plain)).toMatchObject({ code: 'codex-not-executable' })
    expect(await refusal(executable('#!/nowhere/interpreter\n'))).toMatchObject({ code: 'codex-not-found' })
  })

  it('fails with what it said on stderr', async () => {
    const error = await refusal(answering('echo "lib not found" >&2; exit 3'))
    expect(error.code).toBe('codex-version-failed')
    expect(error.message).toMatch(/exit code 3: lib not found/)
  })

  it('is being installed at this moment', () => {
    const busy = Object.assign(new Error('spawn ETXTBSY'), { code: 'ETXTBSY' })
    expect(spawnFailure('/bin/codex', busy)).toMatchObject({
      code: 'codex-not-executable',
      retryable: true,
      cause: busy,
    })
  })

  it.runIf(process.platform === 'linux')('is waited for while it is being written', async () => {
    const codex = answering('echo 0.150.0')
    const writing = openSync(codex, 'r+')
    setTimeout(() => closeSync(writing), 300)
    expect(await codexVersion(codex, { env })).toBe('0.150.0')
  })

  it('names no version', async () => {
    expect(await refusal(answering('echo hello'))).toMatchObject({ code: 'codex-version-unparsable' })
  })

  it('takes too long, and is killed with what it started', async () => {
    const pidFile = path.join(scratchFolder(), 'pid')
    const codex = answering(`sleep 300 & echo $! > ${pidFile}; wait`)
    expect(await refusal(codex, { timeoutMs: 400 })).toMatchObject({
      code: 'codex-version-timed-out',
      retryable: true,
    })
    expect(existsSync(pidFile)).toBe(true)
    const pid = Number(readFileSync(pidFile, 'utf8'))
    expect(await until(() => identify(pid) === null, 2000)).toBe(true)
  })

  it('is not waited for when a child of it holds its output open', async () => {
    expect(await codexVersion(answering('sleep 3 & echo 0.150.0'), { env })).toBe('0.150.0')
  })

  it('is given up when the caller aborts', async () => {
    const abort = new AbortController()
    const asked = codexVersion(answering('sleep 300'), { env, signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })
})
