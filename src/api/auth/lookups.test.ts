import { describe, expect, it } from 'vitest'
import { Lookups } from './lookups.ts'

function lookups() {
  const clock = { now: 0 }
  const searches: string[] = []
  const answers = new Map<string, () => Promise<string | null>>()
  const search = (key: string) => {
    searches.push(key)
    return answers.get(key)?.() ?? Promise.resolve(null)
  }
  const there = (key: string) => answers.set(key, async () => key)
  return { clock, searches, answers, there, lookups: new Lookups({ search, now: () => clock.now }) }
}

const unasked = () => expect.unreachable()

describe('a search', () => {
  it('is made every time, for what was found as for what was not', async () => {
    const { searches, there, lookups: found } = lookups()
    there('a')
    for (let time = 0; time < 2; time++) {
      expect(await found.find('a', () => undefined)).toBe('a')
      expect(await found.find('none', () => undefined)).toBeNull()
    }
    expect(searches).toEqual(['a', 'none', 'a', 'none'])
  })

  it('is counted for what was not found lately, before it is made', async () => {
    const { clock, searches, there, lookups: found } = lookups()
    there('a')
    const refuse = () => {
      throw new Error('too many')
    }
    await expect(found.find('a', refuse)).rejects.toThrow('too many')
    expect(searches).toEqual([])
    await found.find('a', () => undefined)
    clock.now = 60_000
    expect(await found.find('a', unasked)).toBe('a')
  })

  it('is one for all who ask while another is under way, and begins after they have asked', async () => {
    const { searches, answers, lookups: found } = lookups()
    const { promise, resolve } = Promise.withResolvers<string>()
    answers.set('a', () => promise)
    const first = found.find('a', () => undefined)
    // Revoked since: the answer to the first is from before.
    answers.set('a', async () => null)
    const later = [1, 2, 3].map(() => found.find('a', () => undefined))
    expect(searches).toEqual(['a'])
    resolve('a')
    expect(await first).toBe('a')
    expect(await Promise.all(later)).toEqual([null, null, null])
    expect(searches).toEqual(['a', 'a'])
  })

  it('that fails is not made again for those who waited for it', async () => {
    const { searches, answers, lookups: found } = lookups()
    answers.set('a', () => Promise.reject(new Error('away')))
    const asked = [1, 2, 3].map(() => found.search('a'))
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected')
    expect(searches).toEqual(['a'])
  })

  it('that was under way when its key was forgotten is not remembered', async () => {
    const { searches, answers, lookups: found } = lookups()
    const { promise, resolve } = Promise.withResolvers<string>()
    answers.set('a', () => promise)
    const before = found.search('a')
    found.forget('a')
    answers.set('a', async () => null)
    expect(await found.find('a', () => undefined)).toBeNull()
    resolve('a')
    expect(await before).toBe('a')
    expect(await found.find('a', () => undefined)).toBeNull()
    expect(searches).toHaveLength(3)
  })

  it('that fails changes nothing that is known', async () => {
    const { clock, answers, there, lookups: found } = lookups()
    there('a')
    await found.search('a')
    answers.set('a', () => Promise.reject(new Error('away')))
    clock.now = 5000
    await expect(found.search('a')).rejects.toThrow('away')
    expect([found.isWithin('a', 5001), found.isWithin('a', 5000)]).toEqual([true, false])
  })

  it('leaves at most 1000 keys behind', async () => {
    const { there, lookups: found } = lookups()
    for (let n = 0; n <= 1000; n++) {
      there(`${n}`)
      await found.search(`${n}`)
    }
    expect([found.isWithin('0', 1), found.isWithin('1', 1), found.isWithin('1000', 1)]).toEqual([
      false,
      true,
      true,
    ])
  })
})
