import { describe, expect, it } from 'vitest'
import { commandLine, exactText } from './exact-text.ts'

describe('text from a repository', () => {
  it('hides nothing', () => {
    expect(exactText('a\u202eb\nc\td\u200be\u001b[2Jf\u200d')).toBe(
      'a\\u{202e}b\\u{a}c\\u{9}d\\u{200b}e\\u{1b}[2Jf\\u{200d}',
    )
    expect(exactText('rm -rf "$HOME" # café 日本')).toBe('rm -rf "$HOME" # café 日本')
  })

  it('is a command line that tells its words apart', () => {
    expect(commandLine(['/bin/sh', '-c', "echo 'a b'", ''])).toBe(`/bin/sh -c 'echo '\\''a b'\\''' ''`)
    expect(commandLine(['x', '\u202e'])).toBe(`x '\\u{202e}'`)
  })
})
