import { describe, expect, it, vi } from 'vitest'
import { commandQuestion } from '../../../test/support/questions.ts'
import type { Line, Terminal } from '../screen/terminal.ts'
import { Person } from './person.ts'
import type { Key } from './prompt.ts'

function open({ deafMs = 0 } = {}) {
  let panel: readonly Line[] | null = null
  let press: ((key: Key) => void) | null = null
  const interrupted = new AbortController()
  const room = { columns: 80, rows: 24 }
  const terminal = {
    room,
    panel: (lines: readonly Line[] | null) => {
      panel = lines
    },
    line: () => {},
  }
  const keyboard = {
    listen: (callback: (key: Key) => void) => {
      press = callback
    },
    release: () => {
      press = null
    },
  }
  const { signal } = interrupted
  const person = new Person({
    terminal: terminal as unknown as Terminal,
    keyboard,
    interrupted: signal,
    deafMs,
  })
  return {
    room,
    redraw: () => person.redraw(),
    interrupted,
    ask: (command: string, withdrawn = new AbortController(), from?: string) =>
      person.ask(commandQuestion({ command }), { signal: withdrawn.signal, ...(from && { from }) }),
    press: (text: string) => press?.({ text, name: text, isCtrl: false }),
    isListening: () => press !== null,
    shown: () => panel?.map(({ text }) => text).join('\n') ?? null,
  }
}

async function ready({ shown }: ReturnType<typeof open>): Promise<void> {
  await vi.waitFor(() => expect(shown()).toContain('[d] deny'))
}

describe('a person', () => {
  it('sees the question anew when the screen has another size', async () => {
    const person = open()
    person.redraw()
    expect(person.shown()).toBeNull()
    const lines = Array.from({ length: 30 }, (_, index) => `echo ${index}`)
    void person.ask(lines.join('\n'))
    await ready(person)
    expect(person.shown()).toContain('more lines; press v to see all')
    person.room.rows = 60
    person.redraw()
    expect(person.shown()).toContain('echo 29')
  })

  it('is told who asks, where there are several', async () => {
    const person = open()
    void person.ask('first', new AbortController(), `task 5f3a91c2 "${'x'.repeat(100)}"`)
    await ready(person)
    const [first, second] = person.shown()!.split('\n')
    expect(first).toMatch(/^task 5f3a91c2 "x+…$/)
    expect(first).toHaveLength(80)
    expect(second).toBe('? Codex asks to run a command')
  })

  it('is asked one question at a time', async () => {
    const person = open()
    const [first, second] = [person.ask('first'), person.ask('second')]
    await ready(person)
    expect(person.shown()).toContain('$ first')
    expect(person.shown()).toContain('1 more to answer after this')
    person.press('o')
    expect(await first).toBe('once')
    expect(person.shown()).toContain('$ second')
    await ready(person)
    person.press('d')
    expect(await second).toBe('deny')
    expect(person.shown()).toBeNull()
    expect(person.isListening()).toBe(false)
  })

  it('is not heard before the keys are shown', async () => {
    const person = open({ deafMs: 20 })
    const answer = person.ask('first')
    person.press('o')
    expect(person.shown()).not.toContain('[o] once')
    await ready(person)
    person.press('d')
    expect(await answer).toBe('deny')
  })

  it('no longer sees a question that was withdrawn, on the screen or waiting', async () => {
    const person = open()
    const [one, two] = [new AbortController(), new AbortController()]
    const answers = [person.ask('first', one), person.ask('second', two), person.ask('third')]
    two.abort(new Error('over'))
    await expect(answers[1]).rejects.toThrow('over')
    one.abort(new Error('over'))
    await expect(answers[0]).rejects.toThrow('over')
    await ready(person)
    expect(person.shown()).toContain('$ third')
    person.press('s')
    expect(await answers[2]).toBe('session')
    await expect(person.ask('fourth', one)).rejects.toThrow('over')
    expect(person.shown()).toBeNull()
  })

  it('is asked nothing more after an interrupt', async () => {
    const person = open()
    const withdrawn = new AbortController()
    const first = person.ask('first', withdrawn)
    person.interrupted.abort()
    expect(person.shown()).toBeNull()
    expect(person.isListening()).toBe(false)
    const second = person.ask('second', withdrawn)
    expect(person.shown()).toBeNull()
    withdrawn.abort(new Error('its turn has ended'))
    await expect(first).rejects.toThrow('its turn has ended')
    await expect(second).rejects.toThrow('its turn has ended')
  })
})
