// Where paths lead on a host and what is there. Many are asked at once.
import type { PathKind } from '../../codex/index.ts'
import type { SshConnection } from './connection.ts'
import { COMMON, quote, type Told, told } from './shell.ts'

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
`

const LOOK = `
kind() {
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
look() {
  if real "$1" 2>/dev/null; then printf 'real=%s\\000' "$out"; else printf 'none=\\000'; fi
  kind "$1"
}
`

/** What is known of a path on a host. */
export interface PathLook {
  /** Links followed; of one whose end does not exist the real folder and the rest. null: that cannot be told. */
  readonly real: string | null
  /** What it leads to; null when it is not absolute, or that cannot be told. */
  readonly kind: PathKind | null
}

const NOTHING: PathLook = { real: null, kind: null }
const KINDS: readonly string[] = ['folder', 'file', 'other', 'missing'] satisfies PathKind[]

/** A path that no file can have is not asked for: no system call would take it. */
export async function lookAtPaths(
  connection: SshConnection,
  places: readonly string[],
  { signal }: { signal?: AbortSignal } = {},
): Promise<PathLook[]> {
  const looks: PathLook[] = []
  for (let from = 0; from < places.length; from += MAX_AT_ONCE) {
    const asked = places.slice(from, from + MAX_AT_ONCE)
    const lines = asked.map((place) => (isPath(place) ? `look ${quote(place)}` : NO_PATH))
    const text = [COMMON, REAL_PATH, LOOK, ...lines].join('\n')
    const told = await tellOrNothing(connection, { text, signal })
    const isWhole = told.length === 2 * asked.length
    looks.push(...asked.map((_place, index) => (isWhole ? lookIn(told, 2 * index) : NOTHING)))
  }
  return looks
}

const NO_PATH = "printf 'none=\\000none=\\000'"

function lookIn(told: Told, index: number): PathLook {
  const [[name, real], [, kind]] = [told[index]!, told[index + 1]!]
  const isReal = name === 'real' && real.startsWith('/')
  return { real: isReal ? real : null, kind: KINDS.includes(kind) ? (kind as PathKind) : null }
}

function isPath(place: string): boolean {
  return !place.includes('\0') && Buffer.byteLength(place) < MAX_BYTES
}

async function tellOrNothing(
  connection: SshConnection,
  { text, signal }: { text: string; signal?: AbortSignal },
): Promise<Told> {
  // Somebody waits for an answer to a question: not for as long as it takes to make a connection again.
  const limit = AbortSignal.timeout(connection.deadline(PATHS_MS))
  const either = signal ? AbortSignal.any([signal, limit]) : limit
  try {
    const { stdout } = await connection.run({ text, timeoutMs: PATHS_MS, isRepeatable: true, signal: either })
    return told(stdout)
  } catch {
    signal?.throwIfAborted()
    return []
  }
}
