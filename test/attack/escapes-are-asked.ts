// What must hold for every escape, on any version of codex.
import { expect, it } from 'vitest'
import type { PresetName } from '../../src/codex/index.ts'
import { ESCAPES } from './escapes.ts'
import { namesOf, openHostileRepository, POSSIBLE, type Tried } from './hostile-repository.ts'

const TEST_MS = 120_000
const policy = { sandbox: 'workspace-write', approvalPolicy: 'on-request' } as const
const withPreset = (preset: PresetName) => ({ ...policy, approvals: { preset } })

interface Subject {
  /** What the printed counts are called. */
  readonly label: string
  readonly codexPath?: () => string
  /** Rows that this version of codex lets out by itself: it never asks, so no rule is heard. */
  readonly unasked?: readonly string[]
}

export function escapesAreAsked({ label, codexPath, unasked = [] }: Subject): void {
  const open = () => openHostileRepository(codexPath && { codexPath: codexPath() })
  const print = (what: string, tried: readonly Tried[]) => {
    const escaped = namesOf(tried, ({ isDone }) => isDone).length
    const missing = ESCAPES.length - POSSIBLE.length
    console.log(
      `attack: ${label}: ${what}: ${tried.length} tried, ${escaped} escaped (${missing} not installed here)`,
    )
  }

  it(
    'are put to a person under read-only and workspace, and do nothing when denied',
    async () => {
      const { attempt } = await open()
      for (const preset of ['read-only', 'workspace'] as const) {
        const tried = await attempt({ thread: withPreset(preset), isEscalated: true, answer: 'deny' })
        print(preset, tried)
        expect(namesOf(tried, ({ isAsked }) => !isAsked)).toEqual(unasked)
        expect(namesOf(tried, ({ isDone }) => isDone)).toEqual(unasked)
      }
    },
    TEST_MS,
  )

  it(
    'are held by the sandbox where nobody lets them out',
    async () => {
      const { attempt } = await open()
      const tried = await attempt({ thread: withPreset('workspace'), isEscalated: false, answer: 'deny' })
      // Reading is what the sandbox allows: what it must not read is for its profile to say.
      const writing = tried.filter(({ name }) => name !== 'jq-import')
      print('inside the sandbox', writing)
      expect(namesOf(writing, ({ isDone }) => isDone)).toEqual([])
    },
    TEST_MS,
  )

  // Otherwise a row would prove nothing.
  it(
    'work once a person says yes',
    async () => {
      const { attempt } = await open()
      const tried = await attempt({ thread: withPreset('workspace'), isEscalated: true, answer: 'once' })
      const writing = tried.filter(({ effect }) => effect === 'write')
      expect(namesOf(writing, ({ isDone }) => !isDone)).toEqual([])
    },
    TEST_MS,
  )

  // An approved command runs inside and, when codex sees the sandbox stop it (a race), once more outside, unasked.
  it(
    'are put to a person under policy untrusted too, though they do not ask to leave the sandbox',
    async () => {
      const { attempt } = await open()
      const thread = { ...withPreset('workspace'), approvalPolicy: 'untrusted' } as const
      const only = ['npm-script', 'find-exec', 'sort-output', 'cp']
      const tried = await attempt({ thread, isEscalated: false, answer: 'deny', only })
      expect(tried).toHaveLength(only.length)
      expect(namesOf(tried, ({ isAsked }) => !isAsked)).toEqual([])
      expect(namesOf(tried, ({ isDone }) => isDone)).toEqual([])
    },
    TEST_MS,
  )
}
