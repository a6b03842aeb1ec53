// codex servers that run on a host by themselves. Each has a folder there that says who it is; that is all that is known
// of it after a restart of ours. Only those of our own data folder are ever looked at.
import type { SshConnection } from './connection.ts'
import { lastLines } from './explain-failure.ts'
import { assign, COMMON, quote, type Told, told, valueNamed } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'

export type ServerKind = 'exec-server' | 'app-server'

export interface RemoteServer {
  readonly id: string
  readonly kind: ServerKind
  readonly version: string
  /** Of what it was started with. */
  readonly settings: string
  readonly pid: number
  /** Of the machine, when it was started. */
  readonly boot: string
  readonly startedAt: string
  /** Where it listens there: a port of loopback, or a socket. */
  readonly listens: string
}

export interface ServerStart {
  readonly id: string
  readonly kind: ServerKind
  readonly codex: { readonly path: string; readonly version: string }
  readonly settings: string
  readonly startedAt: string
  /** Of codex; where an app-server listens is added. None may be a secret: everybody on the host can read them. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const START_MS = 60_000
const READY_SECONDS = 30
const LIST_MS = 20_000
const END_MS = 30_000

/** In the environment of a server and of what it starts. */
const MARKER = 'DRAWBRIDGE_APP_SERVER'

const FUNCTIONS = `
ours=$state/$owner
listens_at() {
  if [ "$1" = exec-server ]; then sed -n 's#.*ws://127\\.0\\.0\\.1:\\([0-9][0-9]*\\).*#\\1#p' "$2/out" 2>/dev/null | head -n 1
  elif [ -S "$2/s" ]; then echo "$2/s"; fi
}
alive() { read -r pid start < "$1/pid" 2>/dev/null && [ -n "$start" ] && [ "$(start_of "$pid")" = "$start" ]; }
value() { sed -n "s/^$2=//p" "$1/record" 2>/dev/null | head -n 1; }
marked() { grep -lszx "${MARKER}=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
end() {
  if alive "$1"; then
    kill "$pid" 2>/dev/null
    n=0; while alive "$1" && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
    alive "$1" && kill -9 "$pid" 2>/dev/null
  fi
  [ "$(value "$1" boot)" = "$(boot)" ] && for left in $(marked "\${1##*/}"); do kill -9 "$left" 2>/dev/null; done
  rm -rf "$1"
}
describe() {
  tell id "\${1##*/}"; tell kind "$(value "$1" kind)"; tell version "$(value "$1" version)"
  tell settings "$(value "$1" settings)"; tell boot "$(value "$1" boot)"; tell startedAt "$(value "$1" startedAt)"
  tell pid "\${pid:-0}"; tell listens "$(listens_at "$(value "$1" kind)" "$1")"
}
`

const START = `
umask 077
dir=$ours/$id
[ "$kind" = app-server ] && set -- "$@" --listen "unix://$dir/s"
mkdir -p "$dir" 2>/dev/null && chmod 700 "$state" "$ours" "$dir" || { tell failed "$(mkdir -p "$dir" 2>&1)"; exit 3; }
printf 'kind=%s\\nversion=%s\\nsettings=%s\\nboot=%s\\nstartedAt=%s\\n' "$kind" "$version" "$settings" "$(boot)" "$startedAt" \\
  > "$dir/record.new" && mv "$dir/record.new" "$dir/record" || { tell failed "cannot write $dir/record"; rm -rf "$dir"; exit 3; }
unset SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK
leader() {
  if has setsid; then exec setsid "$@"; fi
  if has perl; then exec perl -e 'use POSIX; POSIX::setsid(); exec @ARGV' "$@"; fi
  exec "$@"
}
cd "$HOME" || cd /
# It writes down itself who it is, before it becomes codex: should the connection be cut now, it can be found.
run='dir=$1; shift; printf "%s %s\\n" $$ "$(start_of $$)" > "$dir/pid.new"; mv "$dir/pid.new" "$dir/pid"; trap "" HUP; exec "$@"'
leader sh -c "$common$run" sh "$dir" "$@" > "$dir/out" 2> "$dir/log" < /dev/null &
n=0
while [ $n -lt $((ready_seconds * 20)) ]; do
  listens=$(listens_at "$kind" "$dir")
  if [ -s "$dir/pid" ]; then
    alive "$dir" || break
    if [ -n "$listens" ]; then describe "$dir"; exit 0; fi
  fi
  sleep 0.05; n=$((n + 1))
done
tell log "$(tail -n 20 "$dir/log" 2>/dev/null)"
end "$dir"
exit 3
`

const LIST = `
for dir in "$ours"/*/; do
  dir=\${dir%/}
  [ -f "$dir/record" ] || continue
  if alive "$dir"; then describe "$dir"
  # One without a pid may be about to write it.
  elif [ -s "$dir/pid" ] || [ -n "$(find "$dir" -prune -mmin +2)" ] || [ "$(value "$dir" boot)" != "$(boot)" ]; then end "$dir"
  fi
done
:
`

const END = `
dir=$ours/$id
[ -d "$dir" ] && end "$dir"
:
`

/** Ends it when nothing it runs and nobody who is connected would notice. */
const END_IDLE = `
dir=$ours/$id
busy() {
  [ -z "$(cat "/proc/$pid"/task/*/children 2>/dev/null)" ] || return 0
  at=$(listens_at "$(value "$dir" kind)" "$dir")
  case $at in
    /*) real=$(readlink -f "$at"); awk -v a="$at" -v r="$real" '$6 == "03" && ($8 == a || $8 == r) { n++ } END { exit !n }' /proc/net/unix;;
    *) awk -v p=":$(printf '%04X' "$at")" '$4 == "01" && index($2, p) == length($2) - 4 { n++ } END { exit !n }' /proc/net/tcp;;
  esac
}
if [ ! -d "/proc/$$" ]; then tell busy unknown
elif alive "$dir" && busy; then tell busy yes
else [ -d "$dir" ] && end "$dir"; tell ended yes
fi
`

export class RemoteServers {
  readonly #connection: SshConnection
  readonly #host: string
  readonly #owner: string

  constructor(connection: SshConnection, { host, owner }: { host: string; owner: string }) {
    this.#connection = connection
    this.#host = host
    this.#owner = owner
  }

  /** It listens when this resolves; nothing is left there when it rejects because it did not. */
  async start(server: ServerStart, { signal }: { signal?: AbortSignal } = {}): Promise<RemoteServer> {
    const { id, kind, codex, settings, startedAt } = server
    const values = {
      id,
      kind,
      version: codex.version,
      settings,
      startedAt,
      ready_seconds: READY_SECONDS,
      common: COMMON,
    }
    const env = Object.entries({ ...server.env, [MARKER]: id }).map(
      ([name, value]) => `export ${name}=${quote(value)}`,
    )
    const words = [codex.path, ...server.args].map(quote).join(' ')
    const text = this.#script(values, [...env, `set -- ${words}`, START].join('\n'))
    const { stdout, stderr } = await this.#connection.run({ text, timeoutMs: START_MS, signal })
    const said = told(stdout)
    const started = serversIn(said)[0]
    if (started) return started
    const why = valueNamed(said, 'failed') || valueNamed(said, 'log') || stderr
    const message = `codex ${kind} did not start on ${this.#host}: ${lastLines(why) || 'it said nothing'}`
    const hint = `try \`${codex.path} ${kind} --help\` there`
    throw new SshHostError(message, { code: 'host-server-failed', host: this.#host, hint, retryable: true })
  }

  /** Those that live. What is left of dead ones, also from before a restart of the host, is removed. */
  async list({ signal }: { signal?: AbortSignal } = {}): Promise<RemoteServer[]> {
    const { stdout } = await this.#connection.run({
      text: this.#script({}, LIST),
      timeoutMs: LIST_MS,
      signal,
    })
    return serversIn(told(stdout))
  }

  /** With everything it runs. */
  async end(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#connection.run({ text: this.#script({ id }, END), timeoutMs: END_MS, signal })
  }

  /** Whether it was ended; one that runs something or has somebody connected goes on. */
  async endIdle(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<boolean> {
    const { stdout } = await this.#connection.run({
      text: this.#script({ id }, END_IDLE),
      timeoutMs: END_MS,
      signal,
    })
    return valueNamed(told(stdout), 'ended') === 'yes'
  }

  #script(values: Readonly<Record<string, string | number>>, text: string): string {
    return [COMMON, assign({ ...values, owner: this.#owner }), FUNCTIONS, text].join('\n')
  }
}

function serversIn(said: Told): RemoteServer[] {
  const starts = said.flatMap(([name], index) => (name === 'id' ? [index] : []))
  return starts.map((from, index) => {
    const facts = said.slice(from, starts[index + 1])
    return {
      id: valueNamed(facts, 'id'),
      kind: valueNamed(facts, 'kind') as ServerKind,
      version: valueNamed(facts, 'version'),
      settings: valueNamed(facts, 'settings'),
      pid: Number(valueNamed(facts, 'pid')),
      boot: valueNamed(facts, 'boot'),
      startedAt: valueNamed(facts, 'startedAt'),
      listens: valueNamed(facts, 'listens'),
    }
  })
}
