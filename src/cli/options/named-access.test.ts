import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { accessOf } from './named-access.ts'

describe('what a command line says may be touched', () => {
  it('is nothing unless it is said', () => {
    expect(accessOf({})).toEqual({})
    expect(accessOf({ allow: [], confined: false })).toEqual({})
  })

  it('is the network as off, on, without a word, or as domains', () => {
    expect(accessOf({ network: true })).toEqual({ network: true })
    expect(accessOf({ network: 'on' })).toEqual({ network: true })
    expect(accessOf({ network: 'off' })).toEqual({ network: false })
    expect(accessOf({ network: 'domains:A.com, *.b.org' })).toEqual({
      network: { domains: ['a.com', '*.b.org'] },
    })
    expect(() => accessOf({ network: 'fix the test' })).toThrow('Before a prompt write --network=on')
    expect(() => accessOf({ network: 'domains:' })).toThrow('no domain is named')
  })

  it('is a path as it is meant here, or on the other machine', () => {
    const paths = (allow: string[], isElsewhere = false) =>
      accessOf({ allow }, { isElsewhere }).allow?.map((each) => `${each.access}:${each.path}`)
    expect(paths(['ro:docs/../src/', 'rw:~/out', 'ro:/a:b'])).toEqual([
      `ro:${path.resolve('src')}`,
      `rw:${path.join(homedir(), 'out')}`,
      'ro:/a:b',
    ])
    expect(paths(['ro:/srv/docs/'], true)).toEqual(['ro:/srv/docs'])
    expect(() => paths(['ro:docs'], true)).toThrow('from / on')
    expect(() => paths(['/docs'])).toThrow('write ro:<path> or rw:<path>')
    expect(() => paths(['r:/docs'])).toThrow('write ro:<path> or rw:<path>')
    expect(() => paths(['ro:/proc'])).toThrow('shows other processes')
  })
})
