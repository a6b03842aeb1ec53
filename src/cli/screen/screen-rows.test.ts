import { describe, expect, it } from 'vitest'
import { screenRows } from './screen-rows.ts'

describe('screenRows', () => {
  it('cuts a line into rows', () => {
    expect(screenRows('abcdefg', 3)).toEqual(['abc', 'def', 'g'])
    expect(screenRows('', 3)).toEqual([''])
  })

  it('counts wide characters twice and tabs as blanks', () => {
    expect(screenRows('日本語', 4)).toEqual(['日本', '語'])
    expect(screenRows('👍👍', 3)).toEqual(['👍', '👍'])
    expect(screenRows('⠋ …→│', 6)).toEqual(['⠋ …→│'])
    expect(screenRows('\ta', 3)).toEqual(['   ', ' a'])
  })
})
