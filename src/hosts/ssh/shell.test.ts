import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assign, COMMON, quote, told, valueNamed, valuesNamed } from './shell.ts'

function sh(script: string): Buffer {
  return execFileSync('sh', ['-s'], { input: script, env: { HOME: '/home/me', PATH: process.env.PATH } })
}

describe('a script', () => {
  it('takes any text as one word', () => {
    const words = fc.array(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(words, (texts) => {
        const told = sh(`printf '%s\\000' ${texts.map(quote).join(' ')} end`)
          .toString()
          .split('\0')
        expect(told).toEqual([...texts.map((text) => text.toWellFormed()), 'end', ''])
      }),
      { numRuns: 40 },
    )
  })

  it('tells names and values, also with line breaks and equal signs', () => {
    const facts = told(sh(`${COMMON}\n${assign({ a: 'x=1\ny' })}\ntell one "$a"; tell two 2; tell two 3`))
    expect(valueNamed(facts, 'one')).toBe('x=1\ny')
    expect(valuesNamed(facts, 'two')).toEqual(['2', '3'])
    expect(valueNamed(facts, 'three')).toBe('')
  })

  it('knows processes by their start, and the dead by none', () => {
    const script = `${COMMON}
sleep 60 & live=$!
tell same "$( [ -n "$(start_of $live)" ] && [ "$(start_of $live)" = "$(start_of $live)" ] && echo yes )"
kill -9 $live; wait $live
tell dead "$(start_of $live)"
tell unknown "$(read() { return 1; }; start_of $$ || echo yes)"
tell boot "$( [ "$(boot)" = "$(boot)" ] && boot )"
limited 1 sleep 60; tell status $?`
    const facts = told(sh(script))
    expect(valueNamed(facts, 'same')).toBe('yes')
    expect(valueNamed(facts, 'dead')).toBe('')
    expect(valueNamed(facts, 'unknown')).toBe('yes')
    expect(valueNamed(facts, 'boot')).not.toBe('')
    expect(valueNamed(facts, 'status')).toBe('137')
  })
})
