import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cleanEnvironment } from './clean-environment.ts'

function sh(script: string, env: Readonly<Record<string, string>>) {
  const { status, stdout } = spawnSync('/bin/sh', ['-s'], { input: script, env, encoding: 'utf8' })
  return { status, stdout }
}

const THEIRS = {
  PATH: process.env.PATH!,
  LANG: 'C',
  THEIR_TOKEN: 'secret',
  theirs: 'a\nOTHER=b',
  PASSED: 'yes',
}

describe('the environment of an app-server on a host', () => {
  it('has what codex needs and what is passed', () => {
    const { status, stdout } = sh(`${cleanEnvironment(['PASSED'])}\nenv`, THEIRS)
    const names = stdout.split('\n').map((line) => line.split('=')[0])
    expect({ status, names }).toEqual({
      status: 0,
      names: expect.arrayContaining(['PATH', 'LANG', 'PASSED']),
    })
    expect(stdout).not.toMatch(/TOKEN|theirs|OTHER|all/)
  })

  it('has nothing to drop where all is of use', () => {
    const { status, stdout } = sh(`${cleanEnvironment([])}\nenv`, { PATH: THEIRS.PATH, LANG: 'C' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('LANG=C') })
  })

  it.each([
    ['there is no awk', 'PATH=/nowhere'],
    ['awk cannot run', 'awk() { return 127; }'],
    ['awk dies half way', 'awk() { echo THEIR_TOKEN; return 137; }'],
    ['env cannot run', 'env() { return 126; }'],
    ['env dies half way', 'env() { echo PATH=x; return 137; }'],
  ])('is not given to anybody when %s', (_why, broken) => {
    const { status, stdout } = sh(`${broken}\n${cleanEnvironment([])}\necho began`, THEIRS)
    expect(status).toBe(3)
    expect(stdout).toMatch(/^failed=without env and awk.*\0$/)
  })
})
