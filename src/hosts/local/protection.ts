// The permission profiles codex is started with: commands under them cannot read logins, nor anything of Drawbridge's.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isAtLeast, PROFILE_SUFFIXES, type Protection } from '../../codex/index.ts'
import { realPath } from './real-path.ts'

/** What codex keeps in its home that is nobody else's business. Skills and plugins stay readable. */
const PRIVATE_IN_CODEX_HOME = [
  'auth.json',
  '.credentials.json',
  'config.toml',
  'history.jsonl',
  'sessions',
  'archived_sessions',
  'log',
]

/** From here on an approved command may write outside its folder again, under profiles that deny. */
const MODERN_SINCE = '0.161.0'
/** Up to here profiles are written in the older dialect, and an approved command is under none. */
const LEGACY_BEFORE = '0.131.0'

interface ProtectedPlaces {
  readonly codexHome: string
  readonly dataDir: string
  /** More files and folders, absolute. */
  readonly more: readonly string[]
  /** Where it listens; null over pipes. */
  readonly socketFolder: string | null
}

interface ProtectedPaths {
  readonly all: readonly string[]
  /** codex's and Drawbridge's: some appear only later. */
  readonly own: readonly string[]
}

/** Every file and folder that commands in untrusted folders cannot read. */
function protectedPaths({ codexHome, dataDir, more, socketFolder }: ProtectedPlaces): ProtectedPaths {
  const user = process.getuid?.() ?? 0
  // Where codex, and Drawbridges with a deep data folder, keep their sockets. A missing path below a writable folder
  // would be made by the sandbox, so these count only once they are there.
  const shared = [...new Set([tmpdir(), '/tmp'])]
    .flatMap((tmp) => [`drawbridge-${user}`, `codex-daemon-${user}`].map((name) => path.join(tmp, name)))
    .filter((folder) => existsSync(folder))
  const listening = socketFolder === null ? [] : [socketFolder, `/tmp/codex-daemon-${user}`]
  const ofCodex = PRIVATE_IN_CODEX_HOME.map((name) => path.join(codexHome, name))
  const own = real([...ofCodex, dataDir])
  return { own, all: [...new Set([...own, ...real([...more, ...shared, ...listening])])].sort() }
}

/** Denied where they really are: a link leads there all the same. */
function real(places: readonly string[]): string[] {
  return places.map((place) => realPath(place) ?? place)
}

/** null where profiles that deny would take from approvals what they are given for (0.131 to 0.160), or are unknown. */
export function protectionFor(
  version: string,
  { platform, ...places }: ProtectedPlaces & { readonly platform: NodeJS.Platform },
): Protection | null {
  const isModern = isAtLeast(version, MODERN_SINCE)
  if (platform === 'win32' || (!isModern && isAtLeast(version, LEGACY_BEFORE))) return null
  const { all: paths, own } = protectedPaths(places)
  const digest = createHash('sha256').update(JSON.stringify(paths)).digest('hex').slice(0, 12)
  const present = paths.filter((place) => own.includes(place) || existsSync(place))
  return { profile: `drawbridge-${digest}`, paths, present, dialect: isModern ? 'modern' : 'legacy' }
}

/** As overrides of config.toml. An unlikely id: a table of the user's with the same would be merged in. */
export function profileConfig({ profile, paths, dialect }: Protection): Record<string, string> {
  const isModern = dialect === 'modern'
  const denied = paths.map((place) => `${JSON.stringify(place)}=${isModern ? '"deny"' : '"none"'}`)
  const defined = PROFILE_SUFFIXES.map((suffix) => {
    const rights = isModern ? modernRights(suffix, denied) : legacyRights(suffix, denied)
    return [`permissions.${profile}-${suffix}`, rights]
  })
  // Without a default codex refuses to start on a home that names neither a sandbox nor a profile.
  return { ...Object.fromEntries(defined), default_permissions: `"${profile}-ro"` }
}

type Suffix = (typeof PROFILE_SUFFIXES)[number]

function modernRights(suffix: Suffix, denied: readonly string[]): string {
  const base = suffix.startsWith('rw') ? ':workspace' : ':read-only'
  return `{extends="${base}",filesystem={${denied.join(',')}},network={enabled=${suffix.endsWith('net')}}}`
}

function legacyRights(suffix: Suffix, denied: readonly string[]): string {
  const writable = ['":project_roots"={"."="write"}', '":tmpdir"="write"', '"/tmp"="write"']
  const allowed = ['":root"="read"', ...(suffix.startsWith('rw') ? writable : [])]
  return `{filesystem={${[...allowed, ...denied].join(',')}},network={enabled=${suffix.endsWith('net')}}}`
}
