import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../src/testing/index.ts'
import { processesTagged, TAG_VARIABLE } from '../faults/processes.ts'
import { bundledCodex } from '../support/raw-codex.ts'
import { runCli } from '../support/run-cli.ts'

async function surroundings() {
  const made = await makeWorkspace()
  onTestFinished(() => made.remove())
  const [data, codexHome, tag] = [path.join(made.path, 'data'), path.join(made.path, 'codex'), randomUUID()]
  const env = {
    DRAWBRIDGE_HOME: data,
    DRAWBRIDGE_CODEX: path.resolve(bundledCodex()),
    CODEX_HOME: codexHome,
    // A proxy must not come between codex and a model on loopback.
    HTTP_PROXY: 'http://127.0.0.1:9',
    [TAG_VARIABLE]: tag,
  }
  const expectNothingLeft = () => {
    expect(readdirSync(data)).toEqual(['app-servers'])
    expect(readdirSync(path.join(data, 'app-servers'))).toEqual([])
    expect(existsSync(codexHome)).toBe(false)
    expect(processesTagged(tag)).toEqual([])
  }
  return { env, expectNothingLeft }
}

describe('drawbridge demo', () => {
  it('plays all scenes with the real codex and leaves nothing behind', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['demo', '--fast'], { env })
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(end.stdout).toContain('Read-only file system')
    expect(end.stdout).toMatch(/\$ echo 3 > \.\.\/report\.txt\n✋ declined: .*\n {2}declined\n/)
    expect(end.stdout).toContain('I was not allowed to')
    expect(end.stdout).toMatch(/± add .*report\.md \+3/)
    expect(end.stdout).toContain('You asked, in this order:\n- Who are you?\n- How many todos')
    expect(end.stdout).toContain('drawbridge doctor')
    expect(end.stdout).not.toContain('metadata')
    expectNothingLeft()
  })

  it('cleans up when it is interrupted in the middle of a scene', async () => {
    const { env, expectNothingLeft } = await surroundings()
    const end = await runCli(['demo', '--fast'], {
      env,
      whileRunning: async (child) => {
        await once(child.stdout!, 'data')
        child.kill('SIGINT')
      },
    })
    expect(end.code).toBe(130)
    expectNothingLeft()
  })

  it('ends with 5, and nothing left, when there is no codex', async () => {
    const { env } = await surroundings()
    const end = await runCli(['demo'], { env: { ...env, DRAWBRIDGE_CODEX: '/no/such/codex' } })
    expect(end.code).toBe(5)
    expect(end.stdout).toContain('npm install -g @openai/codex')
    expect(readdirSync(env.DRAWBRIDGE_HOME)).toEqual([])
  })
})
