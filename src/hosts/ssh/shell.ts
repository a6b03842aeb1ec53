// What our scripts share. They are for any POSIX sh; what they tell is `name=value` with a NUL after each.

/** One word for sh, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function assign(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quote(String(value))}`)
    .join('\n')
}

export type Told = readonly (readonly [name: string, value: string])[]

export function told(stdout: Buffer): Told {
  const records = stdout.toString('utf8').split('\0').slice(0, -1)
  return records.map((record) => {
    const sign = record.indexOf('=')
    return [record.slice(0, sign).trim(), record.slice(sign + 1)] as const
  })
}

export function valueNamed(facts: Told, name: string): string {
  return facts.find(([key]) => key === name)?.[1] ?? ''
}

export function valuesNamed(facts: Told, name: string): string[] {
  return facts.filter(([key]) => key === name).map(([, value]) => value)
}

/**
 * `tell`; `limited SECONDS COMMAND…`; `start_of PID`, which with the pid is the identity of a process, is empty for a
 * dead one, and fails when neither can be told; `boot`, which is another after a restart of the machine or of the
 * container; the folders that are ours.
 */
export const COMMON = `
tell() { printf '%s=%s\\000' "$1" "$2"; }
has() { command -v "$1" >/dev/null 2>&1; }
limited() {
  seconds=$1; shift
  if has timeout; then timeout -s KILL "$seconds" "$@"; return; fi
  "$@" & limited_pid=$!
  ( sleep "$seconds"; kill -9 "$limited_pid" ) >/dev/null 2>&1 & limited_watch=$!
  wait "$limited_pid"; limited_status=$?
  kill -9 "$limited_watch" 2>/dev/null
  return "$limited_status"
}
start_of() {
  if [ -d /proc/self ]; then
    # Without a process of its own: a machine that cannot start one must not make the living look dead.
    if ! { read -r stat < "/proc/$1/stat"; } 2>/dev/null; then
      if [ -d "/proc/$1" ] || kill -0 "$1" 2>/dev/null; then return 1; fi
      return 0
    fi
    stat=\${stat##*) }
    set -- $stat
    case $1 in Z|X) return 0;; esac
    shift 19
    echo "$1"
  else
    stat=$(LC_ALL=C ps -o stat=,lstart= -p "$1" 2>/dev/null)
    if [ -z "$stat" ]; then
      if kill -0 "$1" 2>/dev/null; then return 1; fi
      return 0
    fi
    case $stat in Z*) return 0;; esac
    echo "$stat" | cut -d' ' -f2- | tr -s ' '
  fi
}
boot() {
  if [ -r /proc/sys/kernel/random/boot_id ]; then
    printf '%s/%s/%s' "$(cat /proc/sys/kernel/random/boot_id)" "$(readlink /proc/self/ns/pid)" "$(start_of 1)"
  else
    sysctl -n kern.boottime 2>/dev/null | tr -dc '0-9'
  fi
}
case $XDG_CACHE_HOME in /*) cache=$XDG_CACHE_HOME;; *) cache=$HOME/.cache;; esac
case $XDG_STATE_HOME in /*) state=$XDG_STATE_HOME;; *) state=$HOME/.local/state;; esac
cache=$cache/drawbridge/codex
state=$state/drawbridge/servers
`
