// What patterns leave out is what git leaves out.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../testing/index.ts'
import { ignoreList, isIgnored } from './ignore.ts'

const PATTERNS = [
  ...[
    '*.log',
    '!keep.log',
    '/top',
    'dir/',
    'a/b',
    'a/**/z',
    '**/deep',
    'x/**',
    '\\#hash',
    '\\!bang',
    '# note',
  ],
  ...[
    'sp ace',
    'trail\\ ',
    'q?.txt',
    '[abc].c',
    '[!abc].h',
    '[[:digit:]]n',
    'br[ken',
    'mid*dle',
    'ü*',
    '**/m/*.o',
  ],
]
const NAMES = [
  ...[
    'x.log',
    'keep.log',
    'n/y.log',
    'top',
    'n/top',
    'dir',
    'n/dir',
    'a/b',
    'n/a/b',
    'a/z',
    'a/c/d/z',
    'deep',
  ],
  ...[
    'n/deep',
    'x',
    'x/y',
    'x/y/w',
    '#hash',
    '!bang',
    '# note',
    'sp ace',
    'trail ',
    'trail',
    'q1.txt',
    'q12.txt',
  ],
  ...[
    'a.c',
    'd.c',
    'a.h',
    'd.h',
    '3n',
    'n3',
    'br[ken',
    'middle',
    'midxdle',
    'mid/dle',
    'üb',
    'u',
    'm/a.o',
    'n/m/b.o',
  ],
  ...['n/m/k/b.o', '.hidden.log'],
]

it('leaves out what git would, file by file', async () => {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const git = (...args: string[]) => execFileSync('git', ['-C', folder.path, ...args], { stdio: 'pipe' })
  git('init', '-q')
  mkdirSync(path.join(folder.path, '.git', 'info'), { recursive: true })
  for (const pattern of PATTERNS) {
    writeFileSync(path.join(folder.path, '.gitignore'), `${pattern}\n`)
    const input = NAMES.map((name) => `${name}\0`).join('')
    const args = [
      '-C',
      folder.path,
      '-c',
      'core.excludesFile=/dev/null',
      'check-ignore',
      '--no-index',
      '-z',
      '--stdin',
    ]
    let left: string[] = []
    try {
      left = execFileSync('git', args, { input, stdio: 'pipe' }).toString().split('\0').filter(Boolean)
    } catch {
      // It leaves out none of them.
    }
    const list = [ignoreList(pattern)]
    const bytes = (name: string) => Buffer.from(name).toString('latin1')
    // A folder that is left out has all that is in it left out: git says so of each file.
    const ours = NAMES.filter((name) => {
      const parts = name.split('/')
      return parts.some((_, at) =>
        isIgnored(list, bytes(parts.slice(0, at + 1).join('/')), at < parts.length - 1),
      )
    })
    expect([pattern, ours]).toEqual([pattern, left])
  }
})
