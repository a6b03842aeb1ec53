// The permission profiles codex is started with: commands under them cannot read logins, nor anything of Drawbridge's.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isAtLeast, PROFILE_SUFFIXES, type Protection } from '../../codex/index.ts'
import { realPath } from './real-path.ts'

/** What codex keeps in its home that is nobody else's business. Skills and plugins stay readable. */
export const CODEX_LOGINS = ['auth.json', '.credentials.json', 'config.toml']
export const CODEX_HISTORY = ['history.jsonl', 'sessions', 'archived_sessions', 'log']

/** From here on an approved command may write outside its folder again, under profiles that deny. */
export const MODERN_SINCE = '0.161.0'
/** Up to here profiles are written in the older dialect, and an approved command is under none. */
const LEGACY_BEFORE = '0.131.0'

const USER = process.getuid?.() ?? 0
/** Where codex puts the sockets of all its app-servers, and links to them from where they were to be. */
const CODEX_SOCKETS = `/tmp/codex-daemon-${USER}`

const TEMP_FOLDERS = [...new Set(['/tmp', tmpdir()].map((place) => realPath(place) ?? place))]

interface Places {
  readonly codexHome: string
  readonly dataDir: string
  /** More files and folders, absolute. */
  readonly more: readonly string[]
  /** Where it listens; null over pipes. */
  readonly socketFolder: string | null
}

/** null where profiles that deny would take from approvals what they are given for (0.131 to 0.160), or are unknown. */
export function protectionFor(
  version: string,
  {
    platform,
    codexPath,
    ...places
  }: Places & {
    readonly platform: NodeJS.Platform
    /** The program that is started; null, absent: not known. */
    readonly codexPath?: string | null
  },
): Protection | null {
  const isModern = isAtLeast(version, MODERN_SINCE)
  if (platform === 'win32' || (!isModern && isAtLeast(version, LEGACY_BEFORE))) return null
  const history = present(CODEX_HISTORY.map((name) => path.join(places.codexHome, name)))
  const codexFolder = codexPath == null ? null : folderOfCodex(codexPath)
  const protection = protectionOf([...loginPaths(places), ...history], {
    dialect: isModern ? 'modern' : 'legacy',
    tempFolders: TEMP_FOLDERS,
  })
  return { ...protection, ...(codexFolder !== null && { codexFolders: [codexFolder] }) }
}

/** What codex needs of itself to run a command: in the npm package the folder with its other programs, else the program. */
function folderOfCodex(codexPath: string): string | null {
  const real = realPath(codexPath)
  const packed = /^(.*\/vendor\/[^/]+)\/(bin|codex)\/codex$/.exec(real ?? '')?.[1] ?? real
  // codex would read it as a pattern.
  return packed !== null && withoutGlob(packed) === packed ? packed : null
}

/** Of real paths, on whatever machine. */
export function protectionOf(
  places: readonly string[],
  { dialect, tempFolders }: Pick<Protection, 'dialect' | 'tempFolders'>,
): Protection {
  const all = [...new Set(places.map(withoutGlob))].sort()
  // The sandbox cannot deny what is in a folder that it denies.
  const paths = all.filter((place) => !all.some((other) => isIn(place, other)))
  const digest = createHash('sha256').update(JSON.stringify(paths)).digest('hex').slice(0, 12)
  return { profile: `drawbridge-${digest}`, paths, tempFolders, dialect }
}

/** Before codex listens: made by it, that folder would be there too late to be protected. */
export function makeSocketsFolder(): void {
  if (process.platform !== 'win32') mkdirSync(CODEX_SOCKETS, { recursive: true, mode: 0o700 })
}

/** Why a process with this protection no longer protects what is there; null when it does. */
export function whyUnprotected({ paths }: Protection, places: Places): string | null {
  const added = loginPaths(places).find((place) => !covers(paths, place))
  if (added !== undefined) return `${added} is there now, and its commands could read it`
  const gone = paths.find((place) => !existsSync(place))
  return gone === undefined ? null : `${gone}, which it was told to protect, is gone`
}

/** Whether it, or a folder that it is in, is among them. */
export function covers(paths: readonly string[], place: string): boolean {
  return paths.some((known) => known === place || isIn(place, known))
}

function loginPaths({ codexHome, dataDir, more, socketFolder }: Places): string[] {
  const logins = CODEX_LOGINS.map((name) => path.join(codexHome, name))
  // Drawbridges with a deep data folder keep their sockets there.
  const sockets = [...new Set([tmpdir(), '/tmp'])].map((tmp) => path.join(tmp, `drawbridge-${USER}`))
  const own = socketFolder === null ? [] : [socketFolder]
  return present([...logins, dataDir, ...more, ...sockets, CODEX_SOCKETS, ...own])
}

/** codex reads a path with such characters as a pattern: the nearest folder without is denied instead. */
function withoutGlob(place: string): string {
  return /[*?[\]{}]/.test(place) ? withoutGlob(path.dirname(place)) : place
}

function isIn(place: string, folder: string): boolean {
  return place.startsWith(`${folder}/`)
}

/**
 * Only what is there: for a missing one codex would make an empty file when an approved command runs. Denied where it
 * really is, since a link leads there all the same. Of a socket in a temp folder its folder: that could be renamed.
 */
function present(places: readonly string[]): string[] {
  return places.flatMap((place) => {
    const real = realPath(place)
    const found = real === null ? undefined : statSync(real, { throwIfNoEntry: false })
    if (real === null || !found) return []
    const folder = path.dirname(real)
    const isInTemp = TEMP_FOLDERS.some((temp) => isIn(folder, temp))
    return [withoutGlob(found.isSocket() && isInTemp ? folder : real)]
  })
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
