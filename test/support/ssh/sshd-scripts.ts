// For the shell of the machine that sshd runs on.

/** It listens when it has gone to the background, and writes its pid a little later. */
export const START_SSHD = 'pid=$1; shift; "$@" && until [ -s "$pid" ]; do sleep 0.01; done'

/** Its port is free when this is done. */
export const KILL_SSHD = `
[ -s "$1" ] || exit 0
pid=$(cat "$1")
rm -f "$1"
shift
kill -9 "$pid" "$@"
while kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
`

/** The pids of its connections. */
export const SESSIONS = `
tree() { for child in $(cat /proc/$1/task/$1/children); do tree $child; done; case $(cat /proc/$1/comm) in sshd*) echo $1;; esac; }
for child in $(cat "/proc/$(cat "$1")/task/$(cat "$1")/children"); do tree $child; done 2>/dev/null
`

export const COMMANDS = `
for folder in /proc/[0-9]*; do
  [ -O "$folder" ] && [ "\${folder#/proc/}" != $$ ] || continue
  case $(cat "$folder/comm" 2>/dev/null) in ''|sshd*) continue;; esac
  case $(cat "$folder/stat" 2>/dev/null) in ''|*') Z '*) continue;; esac
  [ -z "$1" ] || grep -qszx "$1" "$folder/environ" || continue
  line=$(tr '\\0\\n' '  ' < "$folder/cmdline" 2>/dev/null)
  [ -n "$line" ] && echo "$line"
done
`
