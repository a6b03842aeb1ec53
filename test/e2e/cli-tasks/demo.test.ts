// Demo tasks of the service: the same story as at the command line, kept, and each in a sample of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { connect, type DrawbridgeClient, readToken, type Task } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Somebody without a codex home; the model of the stage must never be asked. */
async function demoStage() {
  const stage = await serviceStage(() => message('not this one'))
  const env = {
    CODEX_HOME: path.join(stage.cwd, 'no-such-home'),
    XDG_CACHE_HOME: path.join(stage.cwd, 'cache'),
  }
  return {
    ...stage,
    env,
    home: env.CODEX_HOME,
    /** What `task start --demo` started, and a client of the service that it started for it. */
    async startDemo(prompt: string, ...flags: string[]): Promise<{ task: Task; client: DrawbridgeClient }> {
      const args = ['task', 'start', '--demo', '--json', ...flags, prompt]
      const task = JSON.parse((await stage.cli(args, { env })).stdout)
      return { task, client: connect({ url: stage.record().url, token: readToken(stage.dataDir)! }) }
    },
  }
}

/** The question that the task asks next. */
async function nextQuestion(client: DrawbridgeClient, { id }: Task) {
  expect(await client.tasks.wait(id)).toMatchObject({ status: 'waiting' })
  const { items } = await client.approvals({ taskId: id, status: 'pending' })
  return items[0]!
}

/** How it ended, with its answer on one line. */
async function endOf(client: DrawbridgeClient, { id }: Task) {
  const { status, result } = await client.tasks.wait(id, { through: true })
  return { status, text: result?.text?.replaceAll('\n', ' ') ?? '' }
}

const commits = ({ cwd }: Task) =>
  execFileSync('git', ['log', '--format=%s'], { cwd, encoding: 'utf8' }).trim().split('\n')
const toll = ({ cwd }: Task) => readFileSync(path.join(cwd, 'toll.js'), 'utf8')

it('asks for the change and for the commit, does both, and says what it did', async () => {
  const stage = await demoStage()
  const { task, client } = await stage.startDemo('what does this folder do?', '--label', 'mine')
  expect([...task.labels].sort()).toEqual(['demo', 'mine'])
  const change = await nextQuestion(client, task)
  expect(change.question).toMatchObject({ kind: 'file-change' })
  expect(toll(task)).toContain('(1 - discount)')
  await client.answer(change.id, { answer: 'once' })
  const command = await nextQuestion(client, task)
  expect(command.question).toMatchObject({
    kind: 'command',
    reason: expect.stringContaining('Keep the fix?'),
  })
  expect(commits(task)).toEqual(['Farmers pay half', 'A toll for every wheel'])
  await client.answer(command.id, { answer: 'once' })
  const { status, text } = await endOf(client, task)
  expect(status).toBe('completed')
  expect(text).toContain('You asked: “what does this folder do?”')
  expect(text).toContain('Both tests pass now. It is committed as')
  expect(commits(task)[0]).toBe('Take the discount in percent')
  const { events } = await client.tasks.events(task.id, { limit: 5000 })
  const methods = events.map(({ event }) => event.method)
  expect(methods.filter((method) => method === 'turn/plan/updated').length).toBeGreaterThan(3)
  expect(methods.filter((method) => /warning|deprecat|incident/i.test(method))).toEqual([])
  expect(stage.model.requests).toEqual([])
  expect(existsSync(stage.home)).toBe(false)
})

it('changes nothing when the answer is no; the same key is the same demo', async () => {
  const stage = await demoStage()
  const { task, client } = await stage.startDemo('fix the failing test', '--key', 'once')
  const again = await stage.startDemo('fix the failing test', '--key', 'once')
  expect(again.task).toMatchObject({ id: task.id, cwd: task.cwd })
  await client.answer((await nextQuestion(client, task)).id, { answer: 'deny' })
  const { status, text } = await endOf(client, task)
  expect(status).toBe('completed')
  expect(text).toContain('I did not change it, because the answer was no')
  expect(toll(task)).toContain('(1 - discount)')
})

it('begins each demo in a sample that nobody has touched, and keeps a change that is not committed', async () => {
  const stage = await demoStage()
  const { task: first } = await stage.startDemo('fix the failing test')
  const { task, client } = await stage.startDemo('fix the failing test')
  expect(task.cwd).not.toBe(first.cwd)
  await client.answer((await nextQuestion(client, task)).id, { answer: 'once' })
  await client.answer((await nextQuestion(client, task)).id, { answer: 'deny' })
  expect((await endOf(client, task)).text).toContain('It is not recorded, because the answer was no')
  expect(commits(task)).toHaveLength(2)
  expect(toll(task)).toContain('(1 - discount / 100)')
  expect(toll(first)).toContain('(1 - discount)')
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
