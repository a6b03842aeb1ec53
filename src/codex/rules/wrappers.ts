// Programs that run the command they are given. Their own options are read only as far as the table goes: an option it
// does not know means that nobody can say where the inner command begins.

interface Wrapper {
  /** Options without a value, and options with one. */
  readonly flags: readonly string[]
  readonly valued: readonly string[]
  /** Operands of its own before the inner command. */
  readonly operands: number
  readonly takesAssignments?: true
  /** The inner command gets words that are not in the text. */
  readonly addsWords?: true
}

export type Unwrapped =
  | { readonly inner: null }
  | { readonly inner: readonly string[]; readonly env: readonly string[]; readonly addsWords: boolean }
  | { readonly unread: string }

const plain: Wrapper = { flags: [], valued: [], operands: 0 }

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  nohup: plain,
  chronic: plain,
  setsid: { ...plain, flags: ['-c', '-f', '-w', '--ctty', '--fork', '--wait'] },
  time: { ...plain, flags: ['-p', '-v', '-l'] },
  command: { ...plain, flags: ['-p'] },
  nice: { ...plain, valued: ['-n', '--adjustment'] },
  ionice: { ...plain, flags: ['-t'], valued: ['-c', '-n'] },
  stdbuf: { ...plain, valued: ['-i', '-o', '-e', '--input', '--output', '--error'] },
  caffeinate: { ...plain, flags: ['-d', '-i', '-m', '-s', '-u'], valued: ['-t', '-w'] },
  timeout: {
    flags: ['--preserve-status', '--foreground', '-v', '--verbose', '-p', '-f'],
    valued: ['-k', '-s', '--kill-after', '--signal'],
    operands: 1,
  },
  env: {
    ...plain,
    flags: ['-i', '-', '--ignore-environment'],
    valued: ['-u', '--unset'],
    takesAssignments: true,
  },
  sudo: {
    flags: [
      '-n',
      '-E',
      '-H',
      '-S',
      '-b',
      '-k',
      '-P',
      '-i',
      '-s',
      '--non-interactive',
      '--preserve-env',
      '--login',
    ],
    valued: ['-u', '-g', '-p', '-C', '-h', '-r', '-t', '-T', '-U', '--user', '--group', '--prompt', '--host'],
    operands: 0,
    takesAssignments: true,
  },
  doas: { ...plain, flags: ['-n', '-s'], valued: ['-u', '-C'] },
  xargs: {
    flags: [
      '-0',
      '-r',
      '-t',
      '-p',
      '-x',
      '--null',
      '--no-run-if-empty',
      '--verbose',
      '--exit',
      '--interactive',
    ],
    valued: [
      '-n',
      '-P',
      '-I',
      '-L',
      '-d',
      '-s',
      '-a',
      '-E',
      '--max-args',
      '--max-procs',
      '--delimiter',
      '--arg-file',
    ],
    operands: 0,
    addsWords: true,
  },
}

/** The command inside a wrapper; `inner: null` when `words` wraps nothing. */
export function unwrap(words: readonly string[]): Unwrapped {
  const name = baseName(words[0]!)
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
  if (!wrapper) return { inner: null }
  // `command -v git` looks a program up and runs nothing.
  if (name === 'command' && /^-[vV]$/.test(words[1] ?? '')) return { inner: null }
  const afterOptions = skipOptions(words, wrapper)
  if (afterOptions === null) return { unread: `an option of ${name} that is not known here` }
  let at = afterOptions + wrapper.operands
  const env: string[] = []
  while (wrapper.takesAssignments && /^[^=]+=/.test(words[at] ?? '')) env.push(words[at++]!.split('=')[0]!)
  if (at >= words.length) return { inner: null }
  return { inner: words.slice(at), env, addsWords: wrapper.addsWords === true }
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** Where the options end, or null when one is not known. */
function skipOptions(words: readonly string[], { flags, valued }: Wrapper): number | null {
  let at = 1
  while (at < words.length && words[at]!.startsWith('-')) {
    const word = words[at]!
    if (word === '--') return at + 1
    if (flags.includes(word)) at += 1
    else if (valued.includes(word)) at += 2
    else if (hasAttachedValue(word, valued) || isCluster(word, flags)) at += 1
    else return null
  }
  return at
}

function hasAttachedValue(word: string, valued: readonly string[]): boolean {
  return valued.some((name) =>
    name.startsWith('--') ? word.startsWith(`${name}=`) : word.length > 2 && word.startsWith(name),
  )
}

function isCluster(word: string, flags: readonly string[]): boolean {
  return /^-[a-zA-Z0-9]+$/.test(word) && [...word.slice(1)].every((letter) => flags.includes(`-${letter}`))
}
