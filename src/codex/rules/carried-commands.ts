// Programs and options that run a command which the words do not show as one. A prefix rule does not reach past them:
// only a rule that names the words up to and including them does.
import { findOption } from './options.ts'
import { baseName } from './wrappers.ts'

export interface Carried {
  /** Index of the last word a rule must name. */
  readonly at: number
  readonly why: string
}

/** Matched loosely: abbreviations and bundles count. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  find: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls'],
  fd: ['-x', '-X', '--exec', '--exec-batch'],
  rg: ['--pre', '--hostname-bin'],
  tar: [
    '--to-command',
    '--checkpoint-action',
    '-I',
    '--use-compress-program',
    '--rsh-command',
    '-F',
    '--info-script',
  ],
  rsync: ['-e', '--rsh', '--rsync-path'],
  scp: ['-o', '-S', '-F'],
  sftp: ['-o', '-S', '-F', '-b'],
  sort: ['--compress-program'],
  split: ['--filter'],
  zip: ['-T', '-TT', '--unzip-command'],
  curl: ['-K', '--config'],
  wget: ['--use-askpass', '-e', '--execute', '--config'],
  npm: ['--script-shell', '--shell', '--node-options', '--call', '--init-module'],
  pnpm: ['--script-shell', '--shell-mode', '--node-options'],
  yarn: ['--use-yarnrc', '--script-shell'],
  npx: ['-c', '--call', '--shell', '--node-options'],
  cargo: ['--config'],
  go: ['-exec', '--exec', '-toolexec', '--toolexec', '-vettool', '--vettool', '-overlay', '--overlay'],
  make: ['--eval', '-E', '-f', '-I', '-C', '--file', '--makefile', '--directory', '--include-dir'],
  node: ['-e', '-p', '-r', '--eval', '--print', '--require', '--import', '--loader', '--experimental-loader'],
  deno: ['eval', '-A'],
  bun: ['-e', '-p', '-r', '--eval', '--print', '--preload'],
  python: ['-c'],
  perl: ['-e', '-E', '-M', '-m', '-d'],
  ruby: ['-e', '-r'],
  php: ['-r', '-B', '-R', '-E', '-d', '-a'],
  lua: ['-e', '-l', '-i'],
  nc: ['-e', '-c'],
  ncat: ['-e', '-c', '--exec', '--sh-exec', '--lua-exec'],
  tcpdump: ['-z'],
  docker: ['-H', '--host', '--config'],
}

/** Whatever they are given, something else may run. */
const ALWAYS = new Set(
  `ssh su runuser pkexec chroot unshare nsenter flock watch parallel script expect entr gdb lldb strace ltrace perf
   tmux screen at batch systemd-run busybox toybox socat vim vi nvim ed ex emacs nano less more man osascript
   run-parts start-stop-daemon fish ksh csh tcsh pwsh powershell cmd cmd.exe ld.so dbus-run-session proxychains
   torify firejail bwrap`.split(/\s+/),
)

const READS_COMMANDS = /^(?:(?:ba|da|z)?sh|node|deno|bun|python|perl|ruby|php|lua)$/
/** The one word with which they do something else. `-v` of a shell or of python does not stop them. */
const ASKS_ONLY = /^--(?:version|help)$/
const ASKS_ONLY_TOO = /^-[vVh]$/

/** What `words` may run besides what they show, or null. */
export function carriedCommand(words: readonly string[]): Carried | null {
  const name = programName(words[0]!)
  if (ALWAYS.has(name)) return { at: words.length - 1, why: `${name} can run other commands` }
  const options = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]! : []
  const option = findOption(name === 'tar' ? withDash(words) : words, options)
  if (option >= 0) return { at: words.length - 1, why: `${words[option]} of ${name} does more than it shows` }
  return inGit(name, words) ?? inProgramText(name, words)
}

/** Whether it takes its commands from a pipe, a terminal or a text that was not opened: where no rule sees them. */
export function readsCommandsFromInput(words: readonly string[]): boolean {
  const name = programName(words[0]!)
  if (!READS_COMMANDS.test(name)) return false
  const given = words.slice(1)
  if (given.some((word) => word === '-' || /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(word))) return true
  const isShell = /sh$/.test(name)
  if (isShell ? /^[^-]/.test(given[0] ?? '') : given.some((word) => !word.startsWith('-'))) return false
  if (name === 'node' && given.includes('--test')) return false
  const [only = ''] = given
  const isQuestion =
    ASKS_ONLY.test(only) || (ASKS_ONLY_TOO.test(only) && !isShell && !/^python$|^deno$/.test(name))
  return given.length !== 1 || !(isQuestion || (name === 'python' && only === '-V'))
}

/** Without folder, version and `.exe`: `/usr/bin/python3.12` is `python`. */
function programName(program: string): string {
  const name = baseName(program)
  return /^(?:python|perl|ruby|php|lua|node|pypy)[0-9.]*$/.exec(name)?.[0].replace(/[0-9.]+$/, '') ?? name
}

/** tar takes its first options without a dash too. */
function withDash([program = '', first = '', ...rest]: readonly string[]): string[] {
  return [program, first.startsWith('-') ? first : `-${first}`, ...rest]
}

const GIT_OPTIONS =
  `--upload-pack --receive-pack --exec --ext-diff --textconv --open-files-in-pager --template --output
  --config-env --exec-path --config --extcmd --strategy`.split(/\s+/)
const GIT_COMMANDS = new Set(
  `config bisect submodule filter-branch difftool mergetool send-email instaweb daemon shell hook credential
   remote-ext upload-pack receive-pack upload-archive maintenance fast-import var`.split(/\s+/),
)

function inGit(name: string, words: readonly string[]): Carried | null {
  if (name !== 'git') return null
  const at = words.length - 1
  const subcommand = words.findIndex((word, index) => index > 0 && !word.startsWith('-'))
  const globals = words.slice(0, subcommand < 0 ? words.length : subcommand)
  if (findOption(globals, ['-c', '-C', '--git-dir', '--work-tree', '--namespace']) >= 0)
    return { at, why: 'git with another configuration or folder' }
  const option = findOption(words, GIT_OPTIONS)
  if (option >= 0) return { at, why: `${words[option]} of git can run or write something else` }
  const used = words[subcommand] ?? ''
  if (GIT_COMMANDS.has(used)) return { at, why: `git ${used} can run other commands` }
  const short = { grep: ['-O'], rebase: ['-x', '-i'], archive: ['-o'], clone: ['-u', '-c'] }[used]
  if (short && findOption(words, short) >= 0)
    return { at, why: `an option of git ${used} can run other commands` }
  return words.some((word) => /^(?:ext|fd)::/.test(word))
    ? { at, why: 'a git address that runs a command' }
    : null
}

/** awk and sed programs, makefile variables: text that is itself a program. */
function inProgramText(name: string, words: readonly string[]): Carried | null {
  const at = words.length - 1
  if (/^[gmn]?awk$/.test(name))
    return isPlainAwk(words) ? null : { at, why: `${name} can run other commands` }
  if (name === 'sed' || name === 'gsed')
    return isPlainSed(words) ? null : { at, why: 'this sed program can do more' }
  // bash and zsh run what stands in an index: test -v 'a[$(ls)]'.
  if (/^(?:test|\[|printf)$/.test(name))
    return words.some((word) => /\[.*[$`(]|^-v|%[^%s]*n/.test(word))
      ? { at, why: `${name} with an index or variable` }
      : null
  if (name === 'make' || name === 'gmake')
    return words.some((word) => word.includes('=')) ? { at, why: 'make with a variable' } : null
  return null
}

/** `awk [-F sep] '[/text/] { print [$n, …] }' file …`. */
function isPlainAwk(words: readonly string[]): boolean {
  const rest = words.slice(1)
  while (rest[0]?.startsWith('-F')) rest.splice(0, rest[0] === '-F' ? 2 : 1)
  const [program = '', ...files] = rest
  const isPlain = /^(?:\/[\w .-]*\/ ?)?\{ ?print(?: (?:\$\d+|\$NF|NR)(?:, ?(?:\$\d+|\$NF))*)? ?\}$/.test(
    program,
  )
  return isPlain && files.every((file) => !file.startsWith('-') && !file.includes('='))
}

/** Line numbers and `p d q =`, or one `s` without flags that run or write. */
function isPlainSed(words: readonly string[]): boolean {
  const rest = words.slice(1)
  const isQuiet = (word: string) =>
    /^(?:-[nErz]|-i|--in-place|--quiet|--silent|--regexp-extended)$/.test(word)
  while (rest[0] !== undefined && isQuiet(rest[0])) rest.shift()
  if (rest[0] === '-e') rest.shift()
  const [program = '', ...files] = rest
  const isPlain =
    /^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$/.test(program) ||
    /^s([/|,#])(?:(?!\1)[^\\\n;{}])*\1(?:(?!\1)[^\\\n])*\1[gIip0-9]*$/.test(program)
  return isPlain && files.every((file) => !file.startsWith('-'))
}
