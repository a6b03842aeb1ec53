// Where paths lead on a host and what is there. Many are asked at once.
import type { PathKind } from '../../codex/index.ts'
import type { SshConnection } from './connection.ts'
import { COMMON, quote, told } from './shell.ts'

const PATHS_MS = 15_000
const MAX_AT_ONCE = 200
/** No system takes more. */
const MAX_BYTES = 4096

/** `$(…)` drops line breaks at the end, which a name may have: the x keeps them. `out` is what was found. */
export const REAL_PATH = `
newline='
'
real() {
  place=$1; rest=
  case $place in '~') place=$HOME;; /*) ;; *) return 1;; esac
  while [ ! -e "$place" ]; do
    end=\${place##*[!/]}
    place=\${place%"$end"}
    # It leads to something that is not there.
    [ -L "$place" ] && return 1
    name=\${place##*/}
    place=\${place%/*}
    place=\${place:-/}
    case $name in ''|..) return 1;; .) ;; *) rest=/$name$rest;; esac
    if [ -e "$place" ]; then [ -d "$place" ] && [ -x "$place" ] || return 1; fi
  done
  out=$(readlink -f "$place" && printf x) || return 1
  out=\${out%x}
  out=\${out%"$newline"}
  out=\${out%/}$rest
  out=\${out:-/}
}
answer() {
  if real "$1" 2>/dev/null; then printf 'real=%s\\000' "$out"; else printf 'none=\\000'; fi
}
`

/** Per path: links followed, as on the host; of one whose end does not exist the real folder and the rest. */
export async function realPaths(
  connection: SshConnection,
  places: readonly string[],
  { signal }: { signal?: AbortSignal } = {},
): Promise<(string | null)[]> {
  const answers = await askEach(connection, places, { script: REAL_PATH, signal })
  return answers.map(([name, value]) => (name === 'real' && value.startsWith('/') ? value : null))
}

const KIND = `
answer() {
  case $1 in /*) ;; *) printf 'none=\\000'; return;; esac
  if [ -d "$1" ]; then printf 'kind=folder\\000'
  elif [ -f "$1" ]; then printf 'kind=file\\000'
  elif [ -e "$1" ]; then printf 'kind=other\\000'
  else
    # Only where every folder above can be looked into is it certain that there is nothing.
    said=$(LC_ALL=C ls -d -- "$1/." 2>&1)
    case $said in *'No such file'*|*'Not a directory'*) printf 'kind=missing\\000';; *) printf 'none=\\000';; esac
  fi
}
`

/** Per path: what it leads to; null when it is not absolute, or that cannot be told. */
export async function kindsOf(
  connection: SshConnection,
  places: readonly string[],
  { signal }: { signal?: AbortSignal } = {},
): Promise<(PathKind | null)[]> {
  const answers = await askEach(connection, places, { script: KIND, signal })
  return answers.map(([name, value]) => (name === 'kind' ? (value as PathKind) : null))
}

/** A path that no file can have is not asked for: no system call would take it. */
async function askEach(
  connection: SshConnection,
  places: readonly string[],
  { script, signal }: { script: string; signal?: AbortSignal },
): Promise<(readonly [string, string])[]> {
  const none = ['none', ''] as const
  const answers: (readonly [string, string])[] = []
  for (let from = 0; from < places.length; from += MAX_AT_ONCE) {
    const asked = places.slice(from, from + MAX_AT_ONCE)
    const lines = asked.map((place) => (isPath(place) ? `answer ${quote(place)}` : "printf 'none=\\000'"))
    const text = [COMMON, script, ...lines].join('\n')
    const told = await tellOrNothing(connection, { text, signal })
    answers.push(...asked.map((_place, index) => (told.length === asked.length ? told[index]! : none)))
  }
  return answers
}

function isPath(place: string): boolean {
  return !place.includes('\0') && Buffer.byteLength(place) < MAX_BYTES
}

async function tellOrNothing(
  connection: SshConnection,
  { text, signal }: { text: string; signal?: AbortSignal },
): Promise<(readonly [string, string])[]> {
  // Somebody waits for an answer to a question: not for as long as it takes to make a connection again.
  const limit = AbortSignal.timeout(connection.deadline(PATHS_MS))
  const either = signal ? AbortSignal.any([signal, limit]) : limit
  try {
    const { stdout } = await connection.run({ text, timeoutMs: PATHS_MS, isRepeatable: true, signal: either })
    return [...told(stdout)]
  } catch {
    signal?.throwIfAborted()
    return []
  }
}
