// Brings codex to a host that has none we can use. Neither Node nor the internet is needed there.
import { Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import type { CodexPackage } from './codex-package.ts'
import type { SshConnection } from './connection.ts'
import { lastLines } from './explain-failure.ts'
import type { HostFacts } from './host-facts.ts'
import { assign, COMMON, quote, told, valueNamed } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'
import { tarStream } from './tar-stream.ts'

export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
}

const SLOWEST_BYTES_PER_SECOND = 100_000
const SPARE_BYTES = 32 * 1024 * 1024
const UNUSED_DAYS = 14

const UPLOAD = `
umask 077
fail() { tell failed "$1"; exit 3; }
mkdir -p "$cache" 2>/dev/null || fail "$(mkdir -p "$cache" 2>&1)"
for left in "$cache"/.new-*; do
  pid=\${left##*.new-}; pid=\${pid%%-*}
  [ -d "$left" ] && [ -z "$(start_of "$pid")" ] && rm -rf "$left"
done
new=$cache/.new-$$-$nonce
mkdir "$new" 2>/dev/null || fail "$(mkdir "$new" 2>&1)"
trap 'rm -rf "$new"' EXIT
trap 'exit 3' HUP INT TERM PIPE
ready
said=$( { $unpack | tar -xf - -C "$new"; } 2>&1 ) || fail "$said"
sum_of() {
  if has sha256sum; then sha256sum < "$1"; elif has shasum; then shasum -a 256 < "$1"; else openssl dgst -sha256 -r < "$1"; fi
}
printf '%s\\n' "$sums" | while read -r sum name; do
  found=$(sum_of "$new/$name" 2>&1)
  [ "\${found%% *}" = "$sum" ] || { echo "$name: $said $found"; break; }
done > "$new/.differs" 2>/dev/null
[ -s "$new/.differs" ] && { tell differs "$(cat "$new/.differs")"; [ -n "$said" ] && fail "$said"; exit 3; }
rm -f "$new/.differs"
version=$(limited 20 "$new/bin/codex" --version </dev/null 2>&1) || { tell unusable "$version"; exit 3; }
if [ ! -d "$final" ]; then mv "$new" "$final" || fail "$(mv "$new" "$final" 2>&1)"; fi
# Another may have been faster by a moment; then ours went into theirs.
rm -rf "$final/\${new##*/}"
: > "$final/.used"
tell path "$final/bin/codex"
`

/** Gives where it is on the host. Nothing half is ever at that place. */
export async function upload(
  connection: SshConnection,
  given: CodexPackage,
  options: {
    host: string
    facts: HostFacts
    onProgress?: (progress: Progress) => void
    signal?: AbortSignal
  },
): Promise<string> {
  const { host, facts, signal } = options
  refuseUnfit(given, { host, facts })
  const [unpack, compressed] = packing(facts.tools)
  const sums = given.files.map(({ name, sha256 }) => `${sha256} ${name}`).join('\n')
  const values = assign({ nonce: given.id, unpack, sums })
  let sentBytes = 0
  const onBytes = (count: number) => {
    sentBytes += count
    options.onProgress?.({ sentBytes, totalBytes: given.bytes })
  }
  const { stdout, stderr } = await connection.run({
    text: [COMMON, values, `final="$cache"/${quote(given.id)}`, UPLOAD].join('\n'),
    input: () => compressed(Readable.from(tarStream(given.files, onBytes))),
    timeoutMs: 120_000 + (given.bytes / SLOWEST_BYTES_PER_SECOND) * 1000,
    signal,
  })
  const said = told(stdout)
  const place = valueNamed(said, 'path')
  if (place) return place
  throw failureOf(valueNamed(said, 'failed') || stderr, {
    host,
    facts,
    differs: valueNamed(said, 'differs'),
    unusable: valueNamed(said, 'unusable'),
  })
}

const REMOVE_OLD = `
for folder in "$cache"/*-*; do
  [ -x "$folder/bin/codex" ] && [ "$folder" != "$kept" ] || continue
  if [ -e "$folder/.used" ]; then [ -n "$(find "$folder/.used" -mtime +"$days")" ] || continue; fi
  in_use=
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2>/dev/null) in "$folder"/*) in_use=1; break;; esac
  done
  [ -d /proc/self ] || ps -axo command= | grep -qF "$folder/" && [ ! -d /proc/self ] && in_use=1
  [ -n "$in_use" ] && continue
  mv "$folder" "$cache/.new-0-old-$$" && rm -rf "$cache/.new-0-old-$$" && tell removed "$folder"
done
[ -n "$kept" ] && [ -d "$kept" ] && : > "$kept/.used"
:
`

/** Removes those that nobody has used for two weeks and no process runs. Gives their folders. */
export async function removeOld(
  connection: SshConnection,
  { kept, unusedDays = UNUSED_DAYS, signal }: { kept: string; unusedDays?: number; signal?: AbortSignal },
): Promise<string[]> {
  const text = [COMMON, assign({ kept, days: unusedDays }), REMOVE_OLD].join('\n')
  const { stdout } = await connection.run({ text, timeoutMs: 60_000, signal })
  return told(stdout).map(([, folder]) => folder)
}

/** Of what the host can unpack: zstd sends a sixth less than gzip and takes a third of its time. */
function packing(tools: readonly string[]): [unpack: string, compress: (files: Readable) => Readable] {
  if (tools.includes('zstd')) {
    const params = { [constants.ZSTD_c_compressionLevel]: 3 }
    return ['zstd -dcq', (files) => files.pipe(createZstdCompress({ params }))]
  }
  if (tools.includes('gzip')) return ['gzip -dc', (files) => files.pipe(createGzip({ level: 1 }))]
  return ['cat', (files) => files]
}

function refuseUnfit(given: CodexPackage, { host, facts }: { host: string; facts: HostFacts }): void {
  const sums = ['sha256sum', 'shasum', 'openssl']
  if (!facts.tools.includes('tar') || !sums.some((tool) => facts.tools.includes(tool))) {
    const message = `${host} has no ${facts.tools.includes('tar') ? sums.join(', ') : 'tar'}: codex cannot be brought there`
    const hint = 'install it there, or install codex there yourself and name its path'
    throw new SshHostError(message, { code: 'host-tools-missing', host, hint })
  }
  if (!facts.isWritable) throw notWritable(host, facts.cache, 'it cannot be written')
  const needed = given.bytes + SPARE_BYTES
  if (facts.freeBytes !== null && facts.freeBytes < needed) {
    throw noRoom(host, facts.cache, `${megabytes(facts.freeBytes)} free, ${megabytes(needed)} needed`)
  }
}

function failureOf(
  said: string,
  { host, facts, differs, unusable }: { host: string; facts: HostFacts; differs: string; unusable: string },
): SshHostError {
  if (/no space left|quota exceeded|file too large|size limit/i.test(said))
    return noRoom(host, facts.cache, lastLines(said))
  if (/read-only|permission denied/i.test(said)) return notWritable(host, facts.cache, lastLines(said))
  if (unusable) {
    const message = `the codex that was brought to ${host} does not run there: ${lastLines(unusable)}`
    const hint = 'install a codex there that does, and name its path'
    return new SshHostError(message, { code: 'host-unsupported', host, hint })
  }
  const message = `codex did not arrive whole on ${host}: ${lastLines(differs || said) || 'the host said nothing'}`
  return new SshHostError(message, { code: 'host-upload-broken', host, hint: 'try again', retryable: true })
}

function noRoom(host: string, folder: string, why: string): SshHostError {
  const hint =
    'make room there, or set XDG_CACHE_HOME there to a folder with room, or install codex there yourself'
  return new SshHostError(`there is no room for codex in ${folder} on ${host}: ${why}`, {
    code: 'host-no-room',
    host,
    hint,
  })
}

function notWritable(host: string, folder: string, why: string): SshHostError {
  const hint =
    'make it writable, set XDG_CACHE_HOME there to a folder that is, or install codex there and name its path'
  return new SshHostError(`codex cannot be put into ${folder} on ${host}: ${why}`, {
    code: 'host-not-writable',
    host,
    hint,
  })
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`
}
