import { describe, expect, it } from 'vitest'
import type { TurnInput } from '../../codex/index.ts'
import { checkRules } from '../approvals/index.ts'
import type { StartTask } from '../model/task-service.ts'
import { hashOf, newMessage, newTask, titleOf } from './new-task.ts'

const given = { now: 5_000, defaultNotify: ['local'] }
const request = (more: Partial<StartTask> = {}): StartTask => ({ prompt: 'Do it', cwd: '/tmp', ...more })

describe('a new task', () => {
  it('is cautious unless it is told otherwise', () => {
    const { task } = newTask(request(), given)
    expect(task).toMatchObject({
      status: 'queued',
      preset: 'ask-all',
      notify: '["local"]',
      queued_at: 5_000,
      created_at: 5_000,
    })
    expect(JSON.parse(task.policy)).toEqual({ approvalPolicy: 'on-request', sandbox: 'read-only' })
    const policy = { sandbox: 'workspace-write', model: undefined } as const
    expect(JSON.parse(newTask(request({ policy }), given).task.policy)).toEqual({
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
    })
    expect(newTask(request({ notify: [] }), given).task.notify).toBe('[]')
  })

  it('has an absolute folder that is there', () => {
    expect(newTask(request({ cwd: '.' }), given).task.cwd).toBe(process.cwd())
    for (const cwd of ['/nowhere/at/all', '/etc/hostname'])
      expect(() => newTask(request({ cwd }), given)).toThrow(/is not a folder/)
    const long = {
      code: 'bad-request',
      message: expect.stringMatching(/^.{200}… cannot be used as a folder \(ENAMETOOLONG\)$/),
    }
    expect(() => newTask(request({ cwd: `/${'x'.repeat(300)}` }), given)).toThrow(
      expect.objectContaining(long),
    )
  })

  it('touches only what can be kept to, and what is there', () => {
    const start =
      (policy: StartTask['policy'], more: Partial<StartTask> = {}) =>
      () =>
        newTask(request({ policy, ...more }), given)
    const allow = [{ path: '/nowhere/at/all', access: 'ro' as const }]
    expect(start({ confined: true, network: { domains: ['a.org'] } })).not.toThrow()
    expect(start({ allow })).toThrow('there is nothing at /nowhere/at/all')
    expect(start({ allow }, { host: 'build' })).not.toThrow()
    expect(start({ confined: true }, { host: 'build' })).toThrow('cannot be confined')
    expect(start({ allow: [{ path: 'docs', access: 'ro' }] })).toThrow('not an absolute path')
    expect(start({ confined: true, sandbox: 'danger-full-access' })).toThrow('no sandbox')
  })

  it('shows a prompt shortened, and without secrets', () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { task } = newTask(
      request({ prompt: `use ${secret} ${'x'.repeat(30_000)}`, title: `a ${secret}` }),
      given,
    )
    expect(task.prompt).toHaveLength(20_000)
    expect(`${task.prompt} ${task.title}`).not.toContain(secret)
  })

  it('is named by the first line of its prompt', () => {
    expect(newTask(request({ prompt: ' Fix it\nplease' }), given).task.title).toBe('Fix it')
    expect(newTask(request({ title: 'a\nb' }), given).task.title).toBe('a b')
  })

  it('has labels without secrets', () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { labels } = newTask(request({ labels: ['ci', `key ${secret}`] }), given)
    expect(labels[0]).toBe('ci')
    expect(labels.join()).not.toContain(secret)
  })

  it.each([
    ['cwd', { cwd: '/tmp\0' }],
    ['codexPath', { codexPath: '/bin/codex\0' }],
    ['codexHome', { codexHome: '\0' }],
    ['input item 0', { prompt: [{ type: 'localImage', path: '/tmp/a\0.png' }] }],
    ['outputSchema must be a JSON object', { outputSchema: [] }],
    ['outputSchema is nested', { outputSchema: nested(200_000) }],
    ['outputSchema is larger', { outputSchema: { description: 'x'.repeat(300_000) } }],
  ] satisfies [string, Partial<StartTask>][])('is refused for %s', (named, more) => {
    expect(() => newTask(request(more), given)).toThrow(
      expect.objectContaining({ code: 'bad-request', message: expect.stringContaining(named) }),
    )
  })
})

function nested(levels: number): unknown {
  let value: unknown = {}
  for (let level = 1; level < levels; level++) value = { items: value }
  return value
}

describe('a title', () => {
  it.each([
    ['  first line \n second\r\n\nthird', 'first line second third'],
    ['\n\n', 'untitled'],
    ['x'.repeat(200), `${'x'.repeat(119)}…`],
  ])('of %j', (text, title) => expect(titleOf(text)).toBe(title))

  it('is not cut inside a character', () => {
    expect(titleOf(`${'x'.repeat(118)}😀${'y'.repeat(50)}`).isWellFormed()).toBe(true)
  })
})

describe('the same request', () => {
  it('has the same hash, in whatever order it is written and whatever its key', () => {
    const one = hashOf(
      request({ labels: ['a'], policy: { model: 'm', effort: 'high' }, idempotencyKey: '1' }),
    )
    const two = hashOf({
      policy: { effort: 'high', model: 'm' },
      cwd: '/tmp',
      labels: ['a'],
      title: undefined,
      prompt: 'Do it',
      idempotencyKey: '2',
    })
    expect(two).toBe(one)
    expect(hashOf(request({ labels: ['b'], policy: { model: 'm', effort: 'high' } }))).not.toBe(one)
    expect(hashOf(request({ labels: ['a', 'b'] }))).not.toBe(hashOf(request({ labels: ['b', 'a'] })))
  })
})

describe('a message', () => {
  const message = (input: TurnInput) => newMessage('t', { input, mode: 'queue', actor: 'me', now: 1 })

  it('goes to codex as it is, and is shown without secrets', () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    const row = message([
      { type: 'text', text: `use ${secret}`, text_elements: [] },
      { type: 'localImage', path: '/a.png' },
    ])
    expect(row.input).toContain(secret)
    expect(row.text).not.toContain(secret)
    expect(row.text).toContain('[localImage]')
  })

  it('says something', () => {
    expect(() => message(' \n')).toThrow(/empty/)
  })
})

it('a rule that cannot be read is refused with the reason', () => {
  expect(() => checkRules(['allow command ls', 'please'])).toThrow(/"please" cannot be read/)
  checkRules(['deny path /etc/**'])
})
