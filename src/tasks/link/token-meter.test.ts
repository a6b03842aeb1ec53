import { describe, expect, it } from 'vitest'
import { NO_TOKENS } from '../../codex/index.ts'
import { TokenMeter } from './token-meter.ts'

const tokens = (inputTokens: number) => ({ ...NO_TOKENS, inputTokens, totalTokens: inputTokens })

function taken(meter: TokenMeter) {
  const { used, take } = meter.read()
  take()
  return used
}

describe('a meter', () => {
  it('gives what was used since it was last asked, of all threads together', () => {
    const meter = new TokenMeter()
    meter.hear('own', { total: tokens(100), last: tokens(100) })
    meter.hear('own', { total: tokens(300), last: tokens(200) })
    meter.hear('sub-agent', { total: tokens(7_000), last: tokens(7_000) })
    expect(taken(meter)).toEqual(tokens(7_300))
    expect(taken(meter)).toEqual(NO_TOKENS)
    meter.hear('own', { total: tokens(350), last: tokens(50) })
    expect(taken(meter)).toEqual(tokens(50))
    expect(meter.totalOf('own')).toEqual(tokens(350))
    expect(meter.totalOf('other')).toBeNull()
  })

  it('keeps what is heard before the last reading is written down, and all of one that never is', () => {
    const meter = new TokenMeter()
    meter.hear('own', { total: tokens(100), last: tokens(100) })
    expect(meter.read().used).toEqual(tokens(100))
    const { used, take } = meter.read()
    meter.hear('own', { total: tokens(150), last: tokens(50) })
    take()
    expect([used, taken(meter)]).toEqual([tokens(100), tokens(50)])
  })

  it('does not count what a thread brought along when it was first heard of', () => {
    const meter = new TokenMeter()
    meter.hear('fork', { total: tokens(5_100), last: tokens(100) })
    meter.hear('silent', { total: tokens(5_100) })
    expect(taken(meter)).toEqual(tokens(100))
  })

  it('goes by what was written down, where somebody knows', () => {
    const meter = new TokenMeter()
    meter.hear('own', { total: tokens(900), last: tokens(100) })
    meter.setCounted('own', tokens(300))
    meter.setCounted('never heard of', tokens(300))
    expect(taken(meter)).toEqual(tokens(600))
  })

  it('takes no harm from what it does not understand', () => {
    const meter = new TokenMeter()
    meter.hear('own', undefined)
    meter.hear('own', null)
    meter.hear('own', 'much' as never)
    meter.hear('own', {})
    meter.hear('own', { total: { inputTokens: 5 } as never, last: { inputTokens: '5' } as never })
    meter.hear('own', { total: { inputTokens: 7 } as never })
    expect(taken(meter)).toEqual({ ...NO_TOKENS, inputTokens: 2 })
  })
})
