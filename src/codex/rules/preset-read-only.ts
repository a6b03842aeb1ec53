// Commands that only read, whatever their words are. A command with an option that writes or runs something is here
// with the list of options that do not; one whose every option is harmless is here by its name.
import { type CommandLine, commandRules, options, pathRule } from './preset-rule.ts'
import type { Rule } from './rule.ts'

const HARMLESS = `cat head wc ls pwd stat du df basename dirname realpath readlink true false echo seq uname whoami id nl
  tac rev cut paste tr comm cmp fold expand od sha1sum sha256sum sha512sum md5sum cksum b2sum which sleep cd`

const READERS: readonly CommandLine[] = [
  ...HARMLESS.split(/\s+/),
  'command -v',
  ['base64', options('-d -D -w= --decode --wrap=')],
  ['printf', { ...options(''), check: 'printf-of-text' }],
  ['test', { check: 'test-without-indexes' }],
  ['[', { check: 'test-without-indexes' }],
  ['tail', options('-# -n= -c= -q -v --lines= --bytes=')],
  ['sort', options('-b -d -f -g -h -i -M -n -r -R -V -k= -t= -c -C -s -u -z --key= --unique --reverse')],
  ['uniq', { ...options('-c -d -u -i -D -z --count'), operands: 'none' }],
  ['file', options('-b -i -L -k --brief --mime --mime-type')],
  ['tree', options('-a -d -f -i -L= -I= -P= -s -h -D -F -C -n --gitignore --dirsfirst --noreport')],
  ['hexdump', options('-C -n= -s= -v')],
  ['strings', options('-a -n= -t=')],
  ['date', { ...options('-u -R -I --utc --iso-8601='), check: 'date-prints' }],
  ['sed', { check: 'sed-prints-lines' }],
  ['awk', { check: 'awk-prints-fields' }],
  [
    'jq',
    {
      ...options('-r -c -e -n -s -S -M -C -j --raw-output --compact-output --slurp'),
      check: 'jq-without-environment',
    },
  ],
  [
    'find',
    options(`-name -iname -path -ipath -wholename -regex -iregex -type -maxdepth -mindepth -size -mtime -mmin -atime -ctime
      -newer -not -o -a -or -and -print -print0 -prune -empty -perm -user -group -L -H -P -follow -xdev -mount -depth
      -readable -writable -executable -samefile -links`),
  ],
  [
    'fd',
    options(
      '-e= -t= -H -I -d= -g -i -s -a -p -E= -0 -u --type= --extension= --hidden --no-ignore --max-depth=',
    ),
  ],
]

/** What looks through whole folders stays in the workspace: elsewhere it would read secrets without naming them. */
const SEARCHES: readonly CommandLine[] = [
  [
    'diff',
    {
      ...options('-u -U= -c -r -N -q -s -w -b -B -i -y --unified= --brief --recursive --color='),
      operands: 'inside',
    },
  ],
  ['grep', { check: 'uses-no-recursion' }],
  ['egrep', { check: 'uses-no-recursion' }],
  ['fgrep', { check: 'uses-no-recursion' }],
  ['grep', { check: 'uses-recursion', operands: 'inside' }],
  [
    'rg',
    {
      ...options(`-n -N -i -l -c -v -w -x -F -S -s -e= -g= -t= -T= -A= -B= -C= -m= -o -H -I -U -P -u -p -0 -q -d= -M=
        --hidden --files --no-ignore --glob= --iglob= --type= --type-not= --line-number --no-line-number --ignore-case
        --files-with-matches --files-without-match --count --count-matches --context= --after-context= --before-context=
        --json --stats --sort= --sortr= --color= --no-heading --heading --max-count= --multiline --pcre2 --fixed-strings
        --word-regexp --smart-case --vimgrep --max-depth= --no-messages --with-filename --no-filename --only-matching
        --max-columns= --trim --type-list --no-config --column --case-sensitive --invert-match --regexp=`),
      operands: 'inside',
    },
  ],
]

const HISTORY = `-# -n= -p -u -s -U= -w -b -M -C -S= -G= -z -q --oneline --stat --stat= --graph --all --decorate --decorate=
  --name-only --name-status --format= --pretty= --follow --no-merges --merges --first-parent --reverse --abbrev-commit
  --date= --diff-filter= --cached --staged --check --no-color --color= --word-diff --word-diff= --numstat --shortstat
  --summary --patch --no-patch --raw --max-count= --since= --until= --after= --before= --author= --grep= --branches
  --tags --remotes --quiet --exit-code --merge-base --unified= --minimal --no-ext-diff --no-textconv --ignore-all-space
  --ignore-space-change --no-renames --full-index --abbrev= --topo-order --relative`

const GIT: readonly CommandLine[] = [
  [
    'status',
    options('-s -b -u= -z -v --short --branch --long --porcelain --porcelain= --untracked-files= --ignored'),
  ],
  ['log', options(`${HISTORY} -L=`)],
  ['diff', options(HISTORY)],
  ['show', options(HISTORY)],
  ['shortlog', options('-s -n -e --summary --numbered --all')],
  ['blame', options('-L= -w -C -M -s -e -l -t -p --porcelain --line-porcelain --date=')],
  [
    'branch',
    {
      ...options('-a -r -v -l --all --remotes --list --show-current --verbose --no-color'),
      operands: 'none',
    },
  ],
  [
    'rev-parse',
    options(`-q --show-toplevel --abbrev-ref --short --short= --verify --git-dir --is-inside-work-tree
    --show-prefix --show-cdup --git-common-dir --symbolic-full-name --quiet`),
  ],
  [
    'rev-list',
    options('-n= -# --count --all --max-count= --left-right --no-merges --since= --until= --objects'),
  ],
  ['merge-base', options('-a --all --is-ancestor --fork-point --octopus')],
  [
    'ls-files',
    options(`-c -d -m -o -s -u -z -t -v --cached --deleted --modified --others --stage --unmerged
    --exclude-standard --error-unmatch --full-name`),
  ],
  ['ls-tree', options('-r -t -d -l -z --name-only --name-status --full-name --full-tree --long')],
  ['cat-file', options('-p -t -s -e')],
  ['describe', options('--tags --always --dirty --long --all --abbrev= --match= --exact-match')],
  ['name-rev', options('--name-only --tags')],
  [
    'grep',
    options('-n -i -l -L -c -w -v -E -F -P -h -H -o -p -e= -A= -B= -C= --cached --untracked --line-number'),
  ],
  'remote .',
  'remote -v .',
  'tag .',
  ['tag -l', options('-n=')],
  ['tag --list', options('-n=')],
  'stash list .',
  'worktree list .',
  'reflog .',
  '--version .',
]

const VERSIONS = `node npm pnpm yarn bun deno python python3 pip pip3 ruby perl php cargo rustc go java javac mvn gradle make
  cmake gcc g++ clang git docker kubectl terraform tsc eslint jq rg bash`
const VERSION_LINES = VERSIONS.split(/\s+/).map((program) => `${program} --version .`)

/** `timeout 5 git log` is as harmless as what it wraps; the inner command is judged as well. */
const WRAPPERS: readonly CommandLine[] = ['timeout', 'time', 'nice', 'command', 'env', 'stdbuf']

/** Files that hold logins and keys. Reading one is never "only reading". */
export const CREDENTIAL_PATHS =
  `**/.ssh/** **/.gnupg/** **/.aws/** **/.azure/** **/.config/gcloud/** **/.config/gh/** **/.kube/**
  **/.docker/config.json **/.netrc **/_netrc **/.git-credentials **/.npmrc **/.pypirc **/.pgpass **/.my.cnf
  **/.codex/auth.json **/auth.json **/.credentials.json **/.cargo/credentials* **/.env **/.env.* **/*.pem **/*.key
  **/id_rsa* **/id_ed25519* **/id_ecdsa* **/.vault-token **/.terraform.d/** **/*.keychain-db **/.*_history
  /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d/** /proc/*/environ /proc/*/mem /proc/kcore /dev/mem`
    .split(/\s+/)
    .filter((glob) => glob !== '')

const preset = 'read-only'
const allow = { preset, answer: 'allow' } as const

export const READ_ONLY_RULES: readonly Rule[] = [
  pathRule(preset, 'ask', CREDENTIAL_PATHS, 'names a file that may hold secrets'),
  ...commandRules(allow, [...READERS, ...SEARCHES]),
  ...commandRules(
    allow,
    GIT.map((line) => prefixed('git', line)),
  ),
  ...commandRules(
    allow,
    GIT.map((line) => prefixed('git --no-pager', line)),
  ),
  ...commandRules(allow, [
    ...VERSION_LINES,
    'node -v .',
    'npm -v .',
    'go version .',
    'java -version .',
    'python3 -V .',
  ]),
  ...commandRules(
    { ...allow, match: { isWrapping: true, env: ['CI', 'NO_COLOR', 'LC_ALL', 'LANG'] } },
    WRAPPERS,
  ),
]

function prefixed(program: string, line: CommandLine): CommandLine {
  return typeof line === 'string' ? `${program} ${line}` : [`${program} ${line[0]}`, line[1]]
}
