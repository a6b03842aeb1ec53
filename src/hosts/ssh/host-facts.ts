// What a host is and has, asked in one go.
import type { SshConnection } from './connection.ts'
import { assign, COMMON, type Told, told, valueNamed, valuesNamed } from './shell.ts'
import { SshHostError } from './ssh-host-error.ts'

export interface FoundOnHost {
  readonly path: string
  /** null: it does not say. */
  readonly version: string | null
  /** Why not. */
  readonly problem: 'timed-out' | 'failed' | null
}

export interface HostFacts {
  /** As Node calls them; what it has no name for as the host says it. */
  readonly platform: string
  readonly arch: string
  readonly home: string
  readonly uid: number
  readonly user: string
  readonly shell: string
  /** Changes when the host is started again. */
  readonly boot: string
  readonly tools: readonly string[]
  /** Where what we bring is kept. */
  readonly cache: string
  /** null: it cannot be told. */
  readonly freeBytes: number | null
  readonly isWritable: boolean
  /** The one that is named first, then those that were found. */
  readonly codex: readonly FoundOnHost[]
  /** Folders with a codex that we brought. */
  readonly provisioned: readonly string[]
}

const FACTS_MS = 60_000

const ASK = `
for tool in tar gzip zstd sha256sum shasum openssl setsid perl git rg bwrap; do has "$tool" && tell tool "$tool"; done
tell os "$(uname -s)"; tell arch "$(uname -m)"; tell home "$HOME"; tell uid "$(id -u)"; tell user "$(id -un)"
tell shell "$SHELL"; tell boot "$(boot)"; tell cache "$cache"
near=$cache
while [ ! -d "$near" ] && [ -n "$near" ]; do near=\${near%/*}; done
tell free "$(df -Pk "\${near:-/}" 2>/dev/null | awk 'NR == 2 { print $4 }')"
# Asking whether it may be written is not enough: root may everything, and a file system may be read-only.
probe=\${near:-/}/.drawbridge-$$
if ( : > "$probe" ) 2>/dev/null; then tell writable yes; rm -f "$probe"; fi
for folder in "$cache"/*-*; do [ -x "$folder/bin/codex" ] && tell provisioned "$folder"; done

behind() {
  real=$(readlink -f "$1" 2>/dev/null || echo "$1")
  case $real in */bin/codex.js) ;; *) echo "$1"; return;; esac
  package=\${real%/bin/codex.js}
  for binary in "$package"/node_modules/@openai/codex-*/vendor/*/bin/codex "$package"/../codex-*/vendor/*/bin/codex \\
    "$package"/vendor/*/bin/codex "$package"/vendor/*/codex/codex; do
    if [ -x "$binary" ]; then readlink -f "$binary" 2>/dev/null || echo "$binary"; return; fi
  done
  echo "$1"
}
seen=
look() {
  [ -f "$1" ] && [ -x "$1" ] || return 1
  file=$(behind "$1")
  case "$seen" in *":$file:"*) return 0;; esac
  seen="$seen:$file:"
  said=$(PATH="\${1%/*}:$PATH" limited "$seconds" "$file" --version </dev/null 2>/dev/null); status=$?
  tell codex "$file"; tell said "$said"; tell status "$status"
}
if [ -n "$named" ]; then
  case $named in '~/'*) named=$HOME/\${named#'~/'};; esac
  case $named in */*) ;; *) named=$(command -v "$named" 2>/dev/null || echo "$named");; esac
  look "$named" || tell missing "$named"
else
  look "$(command -v codex 2>/dev/null)"
  for place in "$HOME/.local/bin" "$HOME/bin" /usr/local/bin /opt/homebrew/bin "$HOME/.volta/bin" "$HOME/.asdf/shims" \\
    "$HOME/.local/share/mise/shims" "$HOME/.npm-global/bin" "$HOME/.bun/bin" "$HOME/.cargo/bin" "$HOME/n/bin" \\
    "$HOME"/.nvm/versions/node/*/bin "$HOME"/.local/share/fnm/node-versions/*/installation/bin; do
    look "$place/codex"
  done
  if [ -z "$seen" ] && [ -x "$SHELL" ]; then
    look "$(limited "$seconds" "$SHELL" -lc 'command -v codex' </dev/null 2>/dev/null | grep '^/.*codex$' | tail -n 1)"
  fi
fi
:
`

export async function askFacts(
  connection: SshConnection,
  { host, codexPath, signal, versionSeconds = 10 }: AskOptions,
): Promise<HostFacts> {
  const text = [COMMON, assign({ named: codexPath ?? '', seconds: versionSeconds }), ASK].join('\n')
  const { status, stdout, stderr } = await connection.run({ text, timeoutMs: FACTS_MS, signal })
  const facts = told(stdout)
  const home = valueNamed(facts, 'home')
  if (status === 0 && home.startsWith('/')) return factsIn(facts)
  const message = `${host} did not say what it is: ${stderr.trim().slice(-500) || `its home is ${JSON.stringify(home)}`}`
  const hint = 'the account needs a home folder and the usual commands (uname, id, df)'
  throw new SshHostError(message, { code: 'host-shell-unusable', host, hint })
}

interface AskOptions {
  readonly host: string
  readonly codexPath?: string | null
  readonly versionSeconds?: number
  readonly signal?: AbortSignal
}

const PLATFORMS: Readonly<Record<string, string>> = { Linux: 'linux', Darwin: 'darwin' }
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
}

function factsIn(facts: Told): HostFacts {
  const os = valueNamed(facts, 'os')
  const arch = valueNamed(facts, 'arch')
  const free = valueNamed(facts, 'free')
  return {
    platform: PLATFORMS[os] ?? os,
    arch: ARCHITECTURES[arch] ?? arch,
    home: valueNamed(facts, 'home'),
    uid: Number(valueNamed(facts, 'uid')),
    user: valueNamed(facts, 'user'),
    shell: valueNamed(facts, 'shell'),
    boot: valueNamed(facts, 'boot'),
    tools: valuesNamed(facts, 'tool'),
    cache: valueNamed(facts, 'cache'),
    freeBytes: /^\d+$/.test(free) ? Number(free) * 1024 : null,
    isWritable: valueNamed(facts, 'writable') === 'yes',
    codex: codexIn(facts),
    provisioned: valuesNamed(facts, 'provisioned'),
  }
}

function codexIn(facts: Told): FoundOnHost[] {
  const said = valuesNamed(facts, 'said')
  const statuses = valuesNamed(facts, 'status')
  return valuesNamed(facts, 'codex').map((path, index) => {
    const status = Number(statuses[index])
    const version = status === 0 ? (/\d+\.\d+\.\d+/.exec(said[index] ?? '')?.[0] ?? null) : null
    if (version) return { path, version, problem: null }
    return { path, version, problem: status === 124 || status === 137 ? 'timed-out' : 'failed' }
  })
}
