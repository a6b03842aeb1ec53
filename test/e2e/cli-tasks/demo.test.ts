// Demo tasks of the service: the same story as at the command line, kept, and each in a sample of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { connect, readToken, type Task } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Somebody without a codex home; the model of the stage must never be asked. */
async function demoStage() {
  const stage = await serviceStage(() => message('not this one'))
  const env = {
    CODEX_HOME: path.join(stage.cwd, 'no-such-home'),
    XDG_CACHE_HOME: path.join(stage.cwd, 'cache'),
  }
  const start = async (prompt: string, ...flags: string[]): Promise<Task> =>
    JSON.parse((await stage.cli(['task', 'start', '--demo', '--json', ...flags, prompt], { env })).stdout)
  const events = async (id: string) => {
    const { url } = stage.record()
    const page = await connect({ url, token: readToken(stage.dataDir)! }).tasks.events(id, { limit: 5000 })
    return page.events.map(({ event }) => event)
  }
  return { ...stage, env, startDemo: start, events, home: env.CODEX_HOME }
}

const commits = (cwd: string) =>
  execFileSync('git', ['log', '--format=%s'], { cwd, encoding: 'utf8' }).trim().split('\n')

it('asks for the change and for the commit, does both, and says what it did', async () => {
  const stage = await demoStage()
  const { id, cwd, labels } = await stage.startDemo('what does this folder do?', '--label', 'mine')
  expect([...labels].sort()).toEqual(['demo', 'mine'])
  const first = await stage.question()
  expect(first.question).toMatchObject({ kind: 'file-change' })
  expect(commits(cwd)).toEqual(['Farmers pay half', 'A toll for every wheel'])
  await stage.cli(['approve', first.id])
  const second = await stage.question()
  expect(second.question).toMatchObject({ kind: 'command', reason: expect.stringContaining('Keep the fix?') })
  await stage.cli(['approve', second.id])
  const ended = await stage.cli(['task', 'wait', id, '--through'])
  const flat = ended.stdout.replaceAll('\n', ' ')
  expect(ended.code).toBe(0)
  expect(flat).toContain('You asked: “what does this folder do?”')
  expect(flat).toContain('Both tests pass now. It is committed as')
  expect(commits(cwd)[0]).toBe('Take the discount in percent')
  const seen = await stage.events(id)
  expect(seen.filter(({ method }) => method === 'turn/plan/updated').length).toBeGreaterThan(3)
  expect(seen.filter(({ method }) => /warning|deprecat|incident/i.test(method))).toEqual([])
  expect(stage.model.requests).toEqual([])
  expect(existsSync(stage.home)).toBe(false)
})

it('begins each demo in a sample that nobody has touched; the same key is the same demo', async () => {
  const stage = await demoStage()
  const first = await stage.startDemo('fix the failing test', '--key', 'once')
  const { id: approvalId } = await stage.question()
  expect((await stage.startDemo('fix the failing test', '--key', 'once')).id).toBe(first.id)
  await stage.cli(['deny', approvalId])
  const ended = await stage.cli(['task', 'wait', first.id])
  expect(ended.stdout.replaceAll('\n', ' ')).toContain('I did not change it, because the answer was no')
  expect(readFileSync(path.join(first.cwd, 'toll.js'), 'utf8')).toContain('(1 - discount)')
  const second = await stage.startDemo('fix the failing test')
  expect(second.cwd).not.toBe(first.cwd)
  expect(commits(second.cwd)).toEqual(['Farmers pay half', 'A toll for every wheel'])
  await stage.cli(['approve', (await stage.question()).id])
  await stage.cli(['deny', (await stage.question()).id])
  const later = await stage.cli(['task', 'wait', second.id, '--through'])
  expect(later.stdout.replaceAll('\n', ' ')).toContain('It is not recorded, because the answer was no')
  expect(commits(second.cwd)).toHaveLength(2)
  expect(readFileSync(path.join(second.cwd, 'toll.js'), 'utf8')).toContain('(1 - discount / 100)')
})

it('leads on to the console and the login, and has a folder of its own', async () => {
  const stage = await demoStage()
  const started = await stage.cli(['task', 'start', '--demo', 'go'], { env: stage.env })
  expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+\n$/) })
  expect(started.stderr).toMatch(/Follow it with: .*\n.*\n.*drawbridge open .*\n.*drawbridge login .*\n$/)
  expect(await stage.cli(['task', 'start', '--demo', '--cwd', '.', 'go'], { env: stage.env })).toMatchObject({
    code: 2,
    stderr: 'drawbridge: --demo has a folder of its own: leave out --cwd\n',
  })
})
