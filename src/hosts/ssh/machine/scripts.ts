// How a command runs on a host. There it has files of its own, by a name that it was given here:
//
//   .command   what is run: a script of variables, a folder and words
//   .in.*      its input, counted before the command begins
//   .begun     made by the one script that runs the command: made twice it cannot be
//   .pid       of the command, and when it started
//   .out .err  what it wrote
//   .exit      its exit code: it has ended
//   .streams   it is of `open`: its streams are those of the connection, and a cut ends it
//
// The same script, sent again after a cut, finds them and waits for the end: a command runs once. All of them are in the folder
// of one service's life there (`epoch`): the next one waits for what runs in others and removes them, and a script that
// arrives after that, out of a dead connection, finds no place and does nothing. A new process takes long on a busy host, so
// these scripts do without them where the shell can do it by itself.
import { assign, COMMON, quote } from '../shell.ts'

/** How a script ends when it has no answer. */
export const ENDS = { noInput: 20, killed: 21, noRoom: 22 } as const

const COMMANDS = `
umask 077
hidden=\${state%/servers}/machine/$owner
commands=$hidden/commands/$epoch
pause() { sleep 0.05 2>/dev/null || sleep 1; }
# Only for the first one who says so.
claim() {
  set -C
  { true > "$1.begun"; } 2>/dev/null
  claimed=$?
  set +C
  return "$claimed"
}
lives() {
  read -r pid since 2>/dev/null < "$1.pid" || return 1
  now=$(start_of "$pid") || return 0
  [ -n "$now" ] && [ "$now" = "$since" ]
}
end_of() { kill "-$1" "-$2" 2>/dev/null || kill "-$1" "$2" 2>/dev/null; }
launch() {
  drawbridge_at=$at
  export drawbridge_at
  if has setsid; then setsid sh "$at.command" <&3 3<&- & else sh "$at.command" <&3 3<&- & fi
}
note_pid() { { printf '%s ' "$!"; start_of "$!"; } > "$at.pid"; }
`

const NAME = '[A-Za-z_][A-Za-z0-9_]*'
const PROBLEM = '"$drawbridge_at.problem"'

export interface CommandFile {
  readonly inherit: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly words: readonly string[]
}

/** A variable that is neither inherited nor given is not seen. At its end the shell becomes the program. */
export function commandFile({ inherit, env, cwd, words }: CommandFile): string {
  const exported = `-e 's/^export \\(${NAME}\\).*/\\1/p' -e 's/^declare -[a-z]*x[a-z]* \\(${NAME}\\).*/\\1/p'`
  return `drawbridge_kept=${quote(` drawbridge_at ${inherit.join(' ')} `)}
for drawbridge_name in $(export -p | sed -n ${exported}); do
  case $drawbridge_kept in *" $drawbridge_name "*) ;; *) unset "$drawbridge_name" 2>/dev/null;; esac
done
unset drawbridge_kept drawbridge_name
${Object.entries(env)
  .map(([name, value]) => `export ${name}=${quote(value)}`)
  .join('\n')}
cd ${quote(cwd)} 2>/dev/null || { echo folder > ${PROBLEM}; exit 126; }
command -v ${quote(words[0]!)} >/dev/null 2>&1 || { echo program > ${PROBLEM}; exit 127; }
unset drawbridge_at OLDPWD
exec ${words.map(quote).join(' ')}
`
}

/** Answers with a line of exit code, problem and length of stderr, then the bytes of stderr, and to the end those of stdout. */
const RUN = `
at=$commands/$name
if [ -n "$settled" ]; then
  cd "$commands" || exit ${ENDS.killed}
  set --
  for old in $settled; do set -- "$@" "$old".*; done
  rm -f "$@"
fi
[ -d "$commands" ] || exit ${ENDS.killed}
if [ -n "$input_bytes" ]; then
  input_file=$at.in.$$
  cat > "$input_file" || exit ${ENDS.noRoom}
  [ "$(($(wc -c < "$input_file")))" = "$input_bytes" ] || exit ${ENDS.noInput}
fi
input_file=\${input_file:-/dev/null}
output_file=\${output_file:-$at.out}
if claim "$at"; then
  { printf '%s' "$command" > "$at.command" && true > "$at.err"; } || exit ${ENDS.noRoom}
  code=126
  if [ ! -r "$input_file" ] || [ -d "$input_file" ]; then echo input > "$at.problem"
  elif ! { true > "$output_file"; } 2>/dev/null; then echo output > "$at.problem"
  else
    exec 3< "$input_file"
    launch > "$output_file" 2> "$at.err"
    note_pid
    exec 3<&-
    wait "$!"
    code=$?
  fi
  echo "$code" > "$at.exit"
else
  [ -e "$at.begun" ] || exit ${ENDS.noRoom}
  # Another script of this name runs it, or did.
  silent=0
  while [ ! -s "$at.exit" ] && [ "$silent" -lt 100 ]; do
    if lives "$at"; then silent=0; else silent=$((silent + 1)); fi
    pause
  done
fi
read -r code 2>/dev/null < "$at.exit" || exit ${ENDS.killed}
problem=none
[ ! -e "$at.problem" ] || read -r problem < "$at.problem"
errors=0
if [ -s "$at.err" ]; then
  errors=$(($(wc -c < "$at.err")))
  [ "$errors" -le 16384 ] || errors=16384
fi
printf '%s %s %s\\n' "$code" "$problem" "$errors"
[ "$errors" = 0 ] || head -c "$errors" "$at.err"
if [ -s "$at.out" ]; then
  if [ -n "$max_bytes" ]; then head -c "$((max_bytes + 1))" "$at.out"; else cat "$at.out"; fi
fi
:
`

/** Whose commands these are: of a data folder, and of one life of its service. */
export interface Epoch {
  readonly owner: string
  readonly epoch: string
}

interface Named extends Epoch {
  readonly name: string
}

export interface RunValues extends Named {
  readonly command: string
  /** Names whose ends have arrived here. */
  readonly settled: readonly string[]
  /** null: none is sent. */
  readonly inputBytes: number | null
  readonly inputFile: string | null
  readonly outputFile: string | null
  readonly maxBytes: number | null
}

export function runText(values: RunValues): string {
  const { owner, epoch, name, command, settled, inputBytes, inputFile, outputFile, maxBytes } = values
  const given = assign({
    ...{ owner, epoch, name, command, settled: settled.join(' '), input_bytes: inputBytes ?? '' },
    ...{ input_file: inputFile ?? '', output_file: outputFile ?? '', max_bytes: maxBytes ?? '' },
  })
  return [COMMON, given, COMMANDS, RUN].join('\n')
}

/** Answers on stderr, with a line of exit code and problem, then what the command wrote there. */
const STREAM = `
at=$commands/$name
[ -d "$commands" ] || exit ${ENDS.killed}
true > "$at.streams" || exit ${ENDS.noRoom}
claim "$at" || exit ${ENDS.killed}
{ printf '%s' "$command" > "$at.command"; } || exit ${ENDS.noRoom}
exec 3<&0
launch 2> "$at.err"
note_pid
exec 3<&- < /dev/null > /dev/null
wait "$!"
code=$?
problem=none
[ ! -e "$at.problem" ] || read -r problem < "$at.problem"
printf '%s %s\\n' "$code" "$problem" >&2
[ ! -s "$at.err" ] || head -c 16384 "$at.err" >&2
rm -f "$at".*
`

export function streamText({ owner, epoch, name, command }: Named & { readonly command: string }): string {
  return [COMMON, assign({ owner, epoch, name, command }), COMMANDS, STREAM].join('\n')
}

/** After this none of these runs any more, or will: of `run` it is waited for unless `how` names a signal, of `open` killed. */
const SETTLE = `
settle() {
  # Not begun yet: it never will.
  claim "$1" && return
  signal=$how
  [ -n "$signal" ] || [ ! -e "$1.streams" ] || signal=KILL
  silent=0
  while [ ! -s "$1.exit" ] && [ "$silent" -lt 10 ]; do
    if lives "$1"; then
      silent=0
      [ -z "$signal" ] || end_of "$signal" "$pid"
    else
      [ ! -e "$1.pid" ] || break
      silent=$((silent + 1))
    fi
    pause
  done
}
`

const SETTLE_NAMED = `
[ -d "$commands" ] || exit ${ENDS.killed}
for name in $names; do settle "$commands/$name"; done
:
`

/** First of all in the life of a service. */
const SETTLE_EARLIER = `
mkdir -p "$commands" || exit ${ENDS.noRoom}
cd "$hidden/commands" || exit ${ENDS.noRoom}
for earlier in *; do
  [ "$earlier" != "$epoch" ] || continue
  for begun in "$earlier"/*.begun; do [ ! -e "$begun" ] || settle "\${begun%.begun}"; done
  rm -rf "$earlier"
done
:
`

export interface SettleValues extends Epoch {
  /** null: those of earlier services. */
  readonly names: readonly string[] | null
  readonly how: 'TERM' | 'KILL' | null
}

export function settleText({ owner, epoch, names, how }: SettleValues): string {
  const given = assign({ owner, epoch, names: names?.join(' ') ?? '', how: how ?? '' })
  return [COMMON, given, COMMANDS, SETTLE, names ? SETTLE_NAMED : SETTLE_EARLIER].join('\n')
}

const FOLDERS = `
work=\${state%/servers}-workspaces
mkdir -p "$work" || exit ${ENDS.noRoom}
tell home "$HOME"
tell hidden "$(cd "$hidden" && pwd -P)"
tell work "$(cd "$work" && pwd -P)"
`

export function foldersText({ owner, epoch }: Epoch): string {
  return [COMMON, assign({ owner, epoch }), COMMANDS, FOLDERS].join('\n')
}
