import { describe, expect, it } from 'vitest'
import { approval, commandQuestion, inputQuestion, NOW, task } from './fixtures/tasks.ts'
import { makeNotices, type NoticeMaking, type NoticePayload, type NoticeSubject } from './index.ts'

const TOKEN = `ghp_${'a1B2'.repeat(9)}`

function make(subject: Partial<NoticeSubject> = {}, making: Partial<NoticeMaking> = {}) {
  let made = 0
  const options = { targets: ['local'], baseUrl: null, at: NOW, newId: () => `n${++made}`, ...making }
  return makeNotices({ cause: 'ended', task: task(), ...subject }, options)
}

function only(subject: Partial<NoticeSubject>, making: Partial<NoticeMaking> = {}) {
  const [notice] = make(subject, making)
  return { ...notice!, payload: JSON.parse(notice!.payload) as NoticePayload }
}

describe('makeNotices', () => {
  it('makes one for each target, each target once, under its own id', () => {
    const notices = make({}, { targets: ['team', 'local', ' team ', ''] })
    expect(notices.map(({ id, target, status }) => [id, target, status])).toEqual([
      ['n1', 'team', 'pending'],
      ['n2', 'local', 'pending'],
    ])
    expect(JSON.parse(notices[1]!.payload).id).toBe('n2')
  })

  it('carries nothing that hides or steers, in any text, for people and for programs', () => {
    const bad = '\u202eevil\u2069 \u001b]0;owned\u0007\u200b\u061c\u009b2J'
    const ended = task({ status: 'failed', title: bad, reason: bad, labels: [bad] })
    const { title, text, payload } = only({ task: ended })
    const told = JSON.stringify([title, text, payload.title, payload.task])
    expect(told).not.toMatch(/\\u00|[\u0080-\u009f\u061c\u200b\u202e\u2069]|owned/)
    expect(title).toBe('Failed: evil')
  })

  it('hides a secret that was split by what cannot be seen', () => {
    const split = `${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)}`
    const { title, text, payload } = only({ task: task({ status: 'failed', title: split, reason: split }) })
    expect(JSON.stringify([title, text, payload])).not.toContain(TOKEN)
  })

  it('tells of a file with how to get it, and of a link without its address', () => {
    const deliverable = {
      ...{ id: 'd', taskId: 'task-1', number: 2, turnId: null, path: 'out/a.pdf', name: 'a.pdf' },
      ...{ title: `Report ${TOKEN}`, note: 'Final.', bytes: 12, sha256: 'ab', status: 'pending' as const },
      ...{ words: null, actor: null, createdAt: NOW, answeredAt: null },
    }
    const file = only({ cause: 'deliverable', deliverable })
    expect(file.title).toBe('File handed over: Fix the build')
    expect(file.text).toContain('(a.pdf, 12 bytes)\nFinal.')
    expect(file.text).toContain('drawbridge task deliverables task-1 --get 2')
    expect(file.payload.deliverable).toMatchObject({ number: 2, name: 'a.pdf', bytes: 12, sha256: 'ab' })
    expect(JSON.stringify(file)).not.toContain(TOKEN)
    // Chat services fetch what they are sent, and the link may work only once.
    const link = only({ cause: 'link', url: 'https://login.example/device?code=ABCD' })
    expect(link.text).toContain('login.example')
    expect(link.text).not.toContain('ABCD')
    expect(link.payload.url).toBe('https://login.example/device?code=ABCD')
    expect(only({ cause: 'attention', message: 'Look.' })).toMatchObject({ text: 'Look.' })
  })

  it('says that there was nobody to tell', () => {
    expect(make({}, { targets: [] })).toMatchObject([{ target: '', status: 'no_target', cause: 'ended' }])
  })

  it('tells the answer of a task that is done', () => {
    const notice = only({}, { baseUrl: 'https://me:pw@bridge.example/base/?token=t#x' })
    expect(notice.title).toBe('Done: Fix the build')
    expect(notice.text).toBe('The build is green again.\n\nhttps://bridge.example/base/tasks/task-1')
    expect(notice.payload).toMatchObject({
      version: 1,
      id: 'n1',
      cause: 'ended',
      at: NOW,
      task: {
        id: 'task-1',
        status: 'completed',
        result: { text: 'The build is green again.', isCut: false },
      },
      approval: null,
      links: { task: 'https://bridge.example/base/tasks/task-1', approval: null },
    })
  })

  it.each([
    ['failed', 'Failed: Fix the build'],
    ['interrupted', 'Interrupted: Fix the build'],
    ['timed-out', 'Timed out: Fix the build'],
  ] as const)('tells why a task is %s, and not an older answer', (status, title) => {
    const notice = only({ task: task({ status, reason: 'it broke' }) })
    expect(notice).toMatchObject({ title, text: 'it broke' })
  })

  it('tells when a limited task goes on, and how a lost one can', () => {
    const limited = task({ status: 'limited', reason: 'the limit is used up', limitedUntil: NOW + 3_600_000 })
    expect(only({ cause: 'limited', task: limited })).toMatchObject({
      title: 'Usage limit: Fix the build',
      text: 'the limit is used up\n\nIt goes on by itself at 2026-11-16 13:00 UTC.',
    })
    expect(only({ cause: 'lost', task: task({ status: 'lost', reason: 'codex died' }) })).toMatchObject({
      title: 'Lost: Fix the build',
      text: 'codex died\n\ndrawbridge task resume task-1',
    })
  })

  it('puts a question for leave, with how to answer and until when', () => {
    const asked = approval(commandQuestion(), { deadlineAt: NOW + 600_000 })
    const notice = only({ cause: 'approval', approval: asked }, { baseUrl: 'http://127.0.0.1:7777' })
    expect(notice.title).toBe('Approval needed: Fix the build')
    expect(notice.text).toBe(
      [
        'Run npm publish\nit needs the network\nin /srv/project',
        'drawbridge approve approval-1\ndrawbridge deny approval-1\nWithout an answer it is declined at 2026-11-16 12:10 UTC.',
        'http://127.0.0.1:7777/approvals/approval-1',
      ].join('\n\n'),
    )
    expect(notice.payload.approval).toMatchObject({ id: 'approval-1', kind: 'command', choices: ['once'] })
  })

  it('puts a question for an answer with its options', () => {
    const notice = only({ cause: 'input', approval: approval(inputQuestion()) })
    expect(notice.title).toBe('Answer needed: Fix the build')
    expect(notice.text).toBe('Which branch?\n- main\n- next\n\ndrawbridge answer approval-1')
  })

  it('takes secrets out everywhere, also where the text is cut', () => {
    const text = `${'x'.repeat(680)} ${TOKEN}`
    const result = { turnId: 't', text, output: null, isCut: false }
    const asked = approval(
      commandQuestion({ title: `curl -H "Authorization: Bearer ${TOKEN}"`, command: TOKEN }),
    )
    const known = task({ title: `use ${TOKEN}`, reason: TOKEN, labels: [TOKEN], result })
    for (const cause of ['ended', 'approval', 'lost'] as const) {
      const all = JSON.stringify(make({ cause, task: known, approval: asked }))
      expect(all).not.toContain('a1B2a1B2')
    }
  })

  it('keeps text and payload short and whole', () => {
    const result = { turnId: 't', text: '😀'.repeat(5_000), output: null, isCut: false }
    const notice = only({ task: task({ title: 'long '.repeat(100), result }) })
    expect(notice.title.length).toBeLessThanOrEqual(130)
    expect(notice.text.length).toBeLessThanOrEqual(700)
    expect(notice.text.isWellFormed()).toBe(true)
    expect(notice.payload.task.result).toMatchObject({ isCut: true, text: expect.stringMatching(/…$/) })
    expect(notice.payload.task.result!.text.length).toBeLessThanOrEqual(4_000)
  })

  it('takes out what would steer a terminal or turn text around', () => {
    const result = {
      turnId: 't',
      text: 'a\x1b[31mred\x1b[0m\r\nb\u202egnp.exe\x07',
      output: null,
      isCut: false,
    }
    const notice = only({ task: task({ title: 'one\ntwo\tthree\x00', result }) })
    expect(notice.text).toBe('ared\nbgnp.exe')
    expect(notice.title).toBe('Done: one two three')
  })
})
