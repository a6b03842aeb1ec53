import { describe, expect, it, vi } from 'vitest'
import type { FolderTrust, ProjectLook } from '../../config/index.ts'
import type { Key } from '../prompts/prompt.ts'
import type { Line, Terminal } from '../screen/terminal.ts'
import { askTrust, confirmTrust } from './ask-trust.ts'

const TRUST: FolderTrust = { state: 'untrusted', by: null, root: '/repo', hasChanged: false }

function lookWith(problem: string | null): ProjectLook {
  const nothing = { mcpServers: [], hooks: [], rules: [], agents: [], settings: [] }
  const layers = [{ folder: '/repo/.codex', digest: 'd', ...nothing, problem }]
  return { root: '/repo', top: '/repo', folder: '/repo', layers, digest: 'x' }
}

function open({ deafMs = 0 } = {}) {
  let panel: readonly Line[] | null = null
  let press: ((key: Key) => void) | null = null
  const written: string[] = []
  const interrupted = new AbortController()
  const terminal = {
    panel: (lines: readonly Line[] | null) => {
      panel = lines
    },
    line: (text: string) => void written.push(text),
  } as unknown as Terminal
  const keyboard = {
    listen: (callback: (key: Key) => void) => {
      press = callback
    },
    release: () => {
      press = null
    },
  }
  return {
    asking: { terminal, keyboard, interrupted: interrupted.signal, deafMs },
    written,
    interrupt: () => interrupted.abort(),
    press: (text: string, name = text) => press?.({ text, name, isCtrl: false }),
    isListening: () => press !== null,
    shown: () => panel?.map(({ text }) => text).join('\n') ?? null,
  }
}

async function ready({ shown }: ReturnType<typeof open>): Promise<void> {
  await vi.waitFor(() => expect(shown()).toContain('['))
}

describe('before a run', () => {
  it.each([
    ['t', 'trust'],
    ['u', 'untrusted'],
    ['q', 'quit'],
  ])('%s answers %s, below the whole card', async (key, choice) => {
    const screen = open()
    const answer = askTrust(lookWith(null), TRUST, screen.asking)
    await ready(screen)
    expect(screen.shown()).toBe('[t] trust  [u] go on untrusted  [q] quit ')
    expect(screen.written.join('\n')).toContain('/repo/.codex')
    for (const other of ['y', '\r', ' ', 'x', '']) screen.press(other)
    expect(screen.isListening()).toBe(true)
    screen.press(key)
    expect(await answer).toBe(choice)
    expect(screen.isListening()).toBe(false)
    expect(screen.shown()).toBeNull()
  })

  it('trust is not offered for what cannot be shown whole', async () => {
    const screen = open()
    const answer = askTrust(lookWith('is not a regular file'), TRUST, screen.asking)
    await ready(screen)
    expect(screen.shown()).not.toContain('trust  ')
    screen.press('t')
    expect(screen.isListening()).toBe(true)
    screen.press('u')
    expect(await answer).toBe('untrusted')
  })

  it('an interrupt quits, early or late', async () => {
    const screen = open()
    const answer = askTrust(lookWith(null), TRUST, screen.asking)
    screen.interrupt()
    expect(await answer).toBe('quit')
    expect(screen.isListening()).toBe(false)
    expect(await askTrust(lookWith(null), TRUST, screen.asking)).toBe('quit')
  })

  it('keys that were typed before the question could be read do nothing', async () => {
    const screen = open({ deafMs: 40 })
    const answer = askTrust(lookWith(null), TRUST, screen.asking)
    screen.press('t')
    expect(screen.isListening()).toBe(true)
    await ready(screen)
    screen.press('q')
    expect(await answer).toBe('quit')
  })
})

describe('drawbridge trust', () => {
  it.each([
    ['y', true],
    ['n', false],
    ['Y', false],
    ['\r', false],
    [' ', false],
    ['\u001b', false],
  ])('takes %j for %s: only y is yes', async (key, isYes) => {
    const screen = open()
    const answer = confirmTrust(lookWith(null), TRUST, screen.asking)
    await ready(screen)
    screen.press(key)
    expect(await answer).toBe(isYes)
  })

  it('takes an interrupt for no', async () => {
    const screen = open()
    const answer = confirmTrust(lookWith(null), TRUST, screen.asking)
    await ready(screen)
    screen.interrupt()
    expect(await answer).toBe(false)
  })
})
