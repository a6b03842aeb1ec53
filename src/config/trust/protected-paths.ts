// Files and sockets with logins that commands in an untrusted folder cannot read, whatever codex is told.
import { realpathSync } from 'node:fs'
import path from 'node:path'

/** `~/` is the user's home; an entry with `$NAME` counts only where that variable is set. */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = [
  '~/.ssh',
  '~/.gnupg',
  '~/.aws',
  '~/.azure',
  '~/.config/gcloud',
  '~/.kube',
  '~/.docker/config.json',
  '~/.config/containers/auth.json',
  '~/.netrc',
  '~/.git-credentials',
  '~/.config/git/credentials',
  '~/.npmrc',
  '~/.yarnrc.yml',
  '~/.pypirc',
  '~/.config/pip/pip.conf',
  '~/.config/pypoetry/auth.toml',
  '~/.cargo/credentials.toml',
  '~/.cargo/credentials',
  '~/.gem/credentials',
  '~/.bundle/config',
  '~/.composer/auth.json',
  '~/.config/composer/auth.json',
  '~/.nuget/NuGet/NuGet.Config',
  '~/.m2/settings.xml',
  '~/.m2/settings-security.xml',
  '~/.gradle/gradle.properties',
  '~/.config/gh',
  '~/.config/hub',
  '~/.config/glab-cli',
  '~/.pgpass',
  '~/.my.cnf',
  '~/.mylogin.cnf',
  '~/.vault-token',
  '~/.terraform.d/credentials.tfrc.json',
  '~/.terraformrc',
  '~/.pulumi/credentials.json',
  '~/.config/doctl',
  '~/.config/heroku',
  '~/.fly',
  '~/.config/op',
  '~/.config/Bitwarden CLI',
  '~/.password-store',
  '~/.local/share/keyrings',
  '~/.local/share/kwalletd',
  '~/.config/rclone',
  '~/.config/sops',
  '~/.config/age',
  '~/.boto',
  '~/.s3cfg',
  '~/.oci',
  '~/.databrickscfg',
  '~/.huggingface/token',
  '~/.cache/huggingface/token',
  '~/.kaggle',
  '~/.claude/.credentials.json',
  '~/.claude.json',
  '~/.gemini/oauth_creds.json',
  '~/.local/share/opencode/auth.json',
  '~/.mozilla',
  '~/.thunderbird',
  '~/.config/google-chrome',
  '~/.config/chromium',
  '~/.config/BraveSoftware',
  '~/.config/microsoft-edge',
  '~/.config/Slack',
  '~/.config/Signal',
  '~/.bash_history',
  '~/.zsh_history',
  '~/.local/share/fish/fish_history',
  '~/.python_history',
  '~/.psql_history',
  '~/.mysql_history',
  '~/.node_repl_history',
  '~/Library/Keychains',
  '~/Library/Application Support/Google/Chrome',
  '~/Library/Application Support/Firefox',
  '~/Library/Cookies',
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/podman/podman.sock',
  '/run/containerd/containerd.sock',
  '$SSH_AUTH_SOCK',
  '$XDG_RUNTIME_DIR',
  '$AWS_SHARED_CREDENTIALS_FILE',
  '$GOOGLE_APPLICATION_CREDENTIALS',
  '$KUBECONFIG',
  '$NPM_CONFIG_USERCONFIG',
  '$NETRC',
  '$PGPASSFILE',
]

const VARIABLE = /^\$([A-Za-z_][A-Za-z0-9_]*)/
/** Where everybody works: protecting them would leave no command able to run. */
const SHARED = ['/tmp', '/var/tmp', '/private/tmp', '/usr', '/bin', '/etc', '/dev', '/proc']

export interface PathPlaces {
  readonly env: NodeJS.ProcessEnv
  readonly home: string
}

/**
 * Absolute and without duplicates; what a symlink leads to is protected under both names. An entry whose variable is
 * not set or leads to a folder that everything needs (/tmp, the home itself) is left out.
 */
export function protectedPaths(list: readonly string[], places: PathPlaces): string[] {
  const found = list.flatMap((entry) => expanded(entry, places)).flatMap((each) => [each, ...realNames(each)])
  const home = path.resolve(places.home)
  return [...new Set(found)].filter((each) => !SHARED.includes(each) && !isAtOrAbove(each, home))
}

/** What is wrong with an entry of the settings; null when nothing is. */
export function problemWithProtectedPath(entry: string): string | null {
  const isPlaced = entry.startsWith('~/') || VARIABLE.test(entry) || path.isAbsolute(entry)
  if (!isPlaced) return 'must begin with /, ~/ or $NAME'
  if (entry.includes('\0') || path.normalize(entry) === path.parse(entry).root || entry === '~/')
    return 'must be a file or folder below'
  return null
}

/** A variable can hold several paths, as KUBECONFIG does. */
function expanded(entry: string, { env, home }: PathPlaces): string[] {
  if (entry.startsWith('~/')) return [path.resolve(home, entry.slice(2))]
  const name = VARIABLE.exec(entry)?.[1]
  if (name === undefined) return path.isAbsolute(entry) ? [path.resolve(entry)] : []
  const rest = entry.slice(name.length + 1)
  return (env[name] ?? '')
    .split(path.delimiter)
    .filter((each) => path.isAbsolute(each))
    .map((each) => path.resolve(each + rest))
}

function realNames(file: string): string[] {
  try {
    return [realpathSync(file)]
  } catch {
    return []
  }
}

function isAtOrAbove(folder: string, home: string): boolean {
  const away = path.relative(folder, home)
  return away === '' || !(away === '..' || away.startsWith(`..${path.sep}`) || path.isAbsolute(away))
}
