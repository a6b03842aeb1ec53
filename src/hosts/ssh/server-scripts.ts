// The scripts that start, find and end codex servers on a host. Each server has a folder there that says who it is.
import { MARKER_VARIABLE } from '../processes.ts'

export const READY_SECONDS = 30
/** The status of a start that ended in nothing. */
export const DID_NOT_START = 3
const MAX_LOG_BYTES = 4_000_000

/** Only who leads a session has one: MCP servers have an environment of their own, and stay in it. None is ever reused. */
export const NOTE_SESSION = `
note_session() {
  stat=$(cat "/proc/$$/stat" 2>/dev/null) || return 0
  set -- "$1" \${stat##*) }
  [ "$5" = "$$" ] && read -r group _ < "/proc/$$/autogroup" && echo "$group" > "$1/session"
} 2>/dev/null
`

export const FUNCTIONS = `
ours=$state/$owner
listens_at() {
  if [ "$1" = exec-server ]; then
    while read -r line; do
      case $line in *ws://127.0.0.1:[0-9]*) line=\${line#*ws://127.0.0.1:}; echo "\${line%%[!0-9]*}"; break;; esac
    done 2>/dev/null < "$2/out"
  # What is behind codex's link is short enough for a socket, whatever the home is called.
  elif [ -S "$2/s" ]; then readlink -f "$2/s" 2>/dev/null || echo "$2/s"; fi
}
members() {
  read -r wanted 2>/dev/null < "$1/session" && [ -n "$wanted" ] || return 0
  for place in /proc/[0-9]*; do
    group=
    { read -r group _ < "$place/autogroup"; } 2>/dev/null
    [ "$group" = "$wanted" ] && echo "\${place#/proc/}"
  done
}
# Whether it lives. Where that cannot be told the script ends: who is taken for dead is cleared away.
alive() {
  if ! { read -r pid start < "$1/pid"; } 2>/dev/null; then
    [ -s "$1/pid" ] || return 1
    # It was written just now, or cannot be read.
    { read -r pid start < "$1/pid"; } 2>/dev/null || unknown "$1/pid"
  fi
  [ -n "$start" ] || return 1
  start_now=$(start_of "$pid") || unknown "/proc/$pid/stat"
  [ "$start_now" = "$start" ]
}
unknown() { echo "$1 cannot be read" >&2; exit 4; }
value() { sed -n "s/^$2=//p" "$1/record" 2>/dev/null | head -n 1; }
marked() { grep -lszx "${MARKER_VARIABLE}=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
below() {
  for child in $(if [ -d /proc/self ]; then cat "/proc/$1"/task/*/children; else pgrep -P "$1"; fi 2>/dev/null); do
    echo "$child $(start_of "$child")"
    below "$child"
  done
}
end() {
  families=
  if alive "$1"; then
    families=$(below "$pid")
    kill "$pid" 2>/dev/null
    n=0; while alive "$1" && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
    alive "$1" && kill -9 "$pid" 2>/dev/null
  fi
  [ "$(value "$1" boot)" = "$(boot)" ] && for left in $(marked "\${1##*/}") $(members "$1"); do
    kill -9 "$left" 2>/dev/null
  done
  # What it runs may have an environment of its own.
  printf '%s\\n' "$families" | while read -r left start; do
    [ -n "$start" ] && [ "$(start_of "$left")" = "$start" ] && kill -9 "$left" 2>/dev/null
  done
  rm -rf "$1"
}
# Without a process of its own for each value: it is asked before every turn.
describe() {
  tell id "\${1##*/}"; kind=
  while IFS= read -r line; do
    case $line in
      kind=*) kind=\${line#kind=}; tell kind "$kind";;
      version=*|settings=*|boot=*|startedAt=*) tell "\${line%%=*}" "\${line#*=}";;
    esac
  done 2>/dev/null < "$1/record"
  tell pid "\${pid:-0}"; tell listens "$(listens_at "$kind" "$1")"
}
`

export const START = `
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
run='dir=$1; shift; note_session "$dir"; set -- "$(start_of $$)" "$@"; [ -n "$1" ] || exit 1
printf "%s %s\\n" $$ "$1" > "$dir/pid.new"; shift
mv "$dir/pid.new" "$dir/pid"; trap "" HUP; exec "$@"'
leader sh -c "$common$note$run" sh "$dir" "$@" > "$dir/out" 2>> "$dir/log" < /dev/null &
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

export const LIST = `
for dir in "$ours"/*/; do
  dir=\${dir%/}
  [ -f "$dir/record" ] || continue
  if alive "$dir"; then
    describe "$dir"
    [ "$(wc -c < "$dir/log")" -gt ${MAX_LOG_BYTES} ] && : > "$dir/log"
  # One without a pid may be about to write it.
  elif [ -s "$dir/pid" ] || [ -n "$(find "$dir" -prune -mmin +2)" ] || [ "$(value "$dir" boot)" != "$(boot)" ]; then
    tell dead "\${dir##*/}"; tell log "$(tail -n 12 "$dir/log" 2>/dev/null)"
    [ "$(value "$dir" boot)" = "$(boot)" ] || tell restarted yes
    end "$dir"
  else tell starting "\${dir##*/}"
  fi
done
:
`

export const END = `
dir=$ours/$id
[ -d "$dir" ] && end "$dir"
:
`

/** Ends it when nothing it runs and nobody who is connected would notice. */
export const END_IDLE = `
dir=$ours/$id
busy() {
  [ -z "$(cat "/proc/$pid"/task/*/children 2>/dev/null)" ] || return 0
  at=$(listens_at "$(value "$dir" kind)" "$dir")
  case $at in
    /*) awk -v a="$at" '$6 == "03" && $8 == a { n++ } END { exit !n }' /proc/net/unix;;
    *) awk -v p=":$(printf '%04X' "$at")" '$4 == "01" && index($2, p) == length($2) - 4 { n++ } END { exit !n }' /proc/net/tcp;;
  esac
}
if [ ! -d "/proc/$$" ]; then tell busy unknown
elif alive "$dir" && busy; then tell busy yes
else [ -d "$dir" ] && end "$dir"; tell ended yes
fi
`
