// What commands on a host must not read: codex's logins and history there, what is ours there, and the files that are
// protected on this machine too.
import type { Protection } from '../../codex/index.ts'
import { CODEX_HISTORY, CODEX_LOGINS, protectionOf } from '../local/protection.ts'
import type { SshConnection } from './connection.ts'
import { REAL_PATH } from './path-facts.ts'
import { assign, COMMON, quote, told, valueNamed, valuesNamed } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'
import { wholeAnswer } from './whole-answer.ts'

export interface PlacesOptions {
  /** null: as the environment there says, else codex's default. */
  readonly codexHome: string | null
  /** As in the settings: absolute, or from `~/` on. Others are of this machine only. */
  readonly protect: readonly string[]
  readonly make: boolean
  readonly signal?: AbortSignal
}

export interface PlacesThere {
  readonly codexHome: string
  /** Real paths of what is there. */
  readonly logins: readonly string[]
  /** Of these, and of what codex writes down of its work: that is made with the first thread. */
  readonly protection: Protection
}

const PLACES_MS = 20_000

/** Where codex puts the sockets of all its app-servers. Made by codex, it would be there too late to be protected. */
const PLACES = `
case \${given:-$CODEX_HOME} in /*) codex_home=\${given:-$CODEX_HOME};; *) codex_home=$HOME/.codex;; esac
sockets=/tmp/codex-daemon-$(id -u)
if [ "$make" = yes ]; then
  umask 077
  [ -d "$sockets" ] || mkdir -m 700 "$sockets" 2>/dev/null
  for place in "$codex_home" "\${state%/servers}"; do
    [ -d "$place" ] || said=$(mkdir -p "$place" 2>&1) || { tell failed "$said"; exit 3; }
  done
fi
one() { [ -e "$1" ] && real "$1" && tell "\${2:-login}" "$out"; }
tell home "$HOME"; real "$codex_home" && tell codexHome "$out"
one "$sockets"; one "\${state%/servers}"; one "/tmp/drawbridge-$(id -u)"
one "$HOME/Library/Application Support/drawbridge"
`

const THERE = { dialect: 'modern', tempFolders: ['/tmp'] } as const

/** Everybody works there: without them no command could run. */
const SHARED = ['/', '/tmp', '/var/tmp', '/private/tmp', '/usr', '/bin', '/etc', '/dev', '/proc']

export async function lookAtPlaces(
  connection: SshConnection,
  { codexHome, protect, make, host, signal }: PlacesOptions & { readonly host: string },
): Promise<PlacesThere> {
  const given = assign({ given: codexHome ?? '', make: make ? 'yes' : 'no' })
  const inHome = (name: string) => `one "$codex_home"/${quote(name)}`
  const own = [...CODEX_LOGINS.map(inHome), ...CODEX_HISTORY.map((name) => `${inHome(name)} history`)]
  const others = protect.flatMap(placeOf).map((place) => `one ${place}`)
  const text = [COMMON, given, REAL_PATH, PLACES, ...own, ...others, ':'].join('\n')
  const end = await connection.run({ text, timeoutMs: PLACES_MS, isRepeatable: true, signal })
  const failed = valueNamed(told(end.stdout), 'failed')
  if (failed) throw noHome(host, failed)
  const said = wholeAnswer(end, host)
  const home = valueNamed(said, 'home')
  const found = valueNamed(said, 'codexHome')
  if (!found) throw noHome(host, '')
  const named = (name: string) =>
    valuesNamed(said, name).filter((place) => place.startsWith('/') && !isForAll(place, home))
  const logins = named('login')
  return { codexHome: found, logins, protection: protectionOf([...logins, ...named('history')], THERE) }
}

function placeOf(entry: string): string[] {
  if (entry.startsWith('~/')) return [`"$HOME"/${quote(entry.slice(2))}`]
  return entry.startsWith('/') ? [quote(entry)] : []
}

function isForAll(place: string, home: string): boolean {
  return SHARED.includes(place) || place === home || home.startsWith(`${place}/`)
}

function noHome(host: string, said: string): SshHostError {
  const message = said
    ? `a folder that is needed on ${host} cannot be made: ${said}`
    : `the home of codex on ${host} cannot be looked at`
  const hint = 'let its user write to ~/.codex and ~/.local/state there'
  return new SshHostError(message, { code: 'host-not-writable', host, hint })
}
