import { describe, expect, it } from 'vitest'
import { environmentId } from '../environment.ts'
import { isMisplaced, Placement } from './placement.ts'

const url = 'ws://127.0.0.1:4000'
const [before, now] = ['old token', 'new token'].map((token) => environmentId('box', { url, token }))

function placed(id: string | null | undefined) {
  const reach = () => Promise.reject(new Error('nobody reaches it'))
  return { name: 'box', id: id ?? null, reach, placement: new Placement({ isPlaced: true }) }
}

describe('a question about a machine', () => {
  it('is of another machine than the one that has its name and its address now', () => {
    expect(isMisplaced(placed(now), { environmentId: before })).toBe(true)
    expect(isMisplaced(placed(now), { environmentId: now })).toBe(false)
    expect(isMisplaced(placed(now), {})).toBe(false)
  })

  it('is told by its name while the machine is away', () => {
    expect(isMisplaced(placed(null), { environmentId: before })).toBe(false)
    expect(isMisplaced(placed(null), { environmentId: 'local' })).toBe(true)
  })
})
