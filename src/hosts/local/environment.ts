// What of our environment codex, and with it every command it runs, gets to see.

const names = new Set(
  `HOME PATH USER LOGNAME SHELL SHLVL TERM COLORTERM NO_COLOR FORCE_COLOR TMPDIR TEMP TMP LANG LANGUAGE TZ HOSTNAME
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE
  REQUESTS_CA_BUNDLE SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS EDITOR VISUAL PAGER LESS MANPATH INFOPATH
  DISPLAY XAUTHORITY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS WSL_DISTRO_NAME WSL_INTEROP
  GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS
  GIT_TERMINAL_PROMPT GIT_EDITOR GIT_PAGER GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_PROXY_COMMAND GIT_SSL_CAINFO
  GIT_SSL_CAPATH GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM
  GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOPRIVATE GONOSUMDB GOSUMDB GOFLAGS GOTOOLCHAIN
  CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUST_LOG RUST_BACKTRACE JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME
  GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME SDKMAN_DIR DOTNET_ROOT NUGET_PACKAGES
  NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME N_PREFIX NODE_PATH PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME YARN_CACHE_FOLDER
  PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYTHONPATH PYTHONHOME PIPX_HOME
  PIPX_BIN_DIR POETRY_HOME UV_CACHE_DIR UV_PYTHON_INSTALL_DIR RBENV_ROOT GEM_HOME GEM_PATH RUBYLIB BUNDLE_PATH
  ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES
  NIX_SSL_CERT_FILE PKG_CONFIG_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH CC CXX
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)
  PROGRAMW6432 COMMONPROGRAMFILES ALLUSERSPROFILE PUBLIC USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH
  COMPUTERNAME OS NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE PSMODULEPATH`.split(/\s+/),
)

// GIT_CONFIG_KEY_n / _VALUE_n stay out, since CI systems put authorization headers there; so does GIT_DIR, which a
// git hook sets and which would bend every git command codex runs.
const prefixes = [
  'LC_',
  'XDG_',
  'GIT_AUTHOR_',
  'GIT_COMMITTER_',
  'GIT_TRACE',
  'NPM_CONFIG_',
  'OPENAI_',
  'CODEX_',
]

// codex's app-server takes its login from its home, never from these; commands would see them.
const secrets =
  /^NPM_CONFIG_.*(AUTH|TOKEN|PASSW|SECRET|OTP|KEY|CERT$)|^(OPENAI|CODEX)_.*(KEY|TOKEN|SECRET|PASSWORD)$/

// Facts about one command of an outer codex, set when Drawbridge itself is run by codex.
const outerCodex = new Set(
  ['SESSION_ID', 'THREAD_ID', 'TOOL_CALL_ID', 'CI', 'VERSION'].map((name) => `CODEX_${name}`),
)

/** The same for a machine where nothing of ours runs: `secrets` are never handed on, whatever begins like them. */
export const ALLOWED_VARIABLES = { names: [...names], prefixes, secrets: secrets.source }

/**
 * The environment for codex: an allowlist of `env`, then `passEnv` by name, then `extra`, then `codexHome`.
 * HOME is never rewritten. A key that config.toml names with `env_key` has to be named in `passEnv`.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  options: { codexHome?: string; extra?: Readonly<Record<string, string>>; passEnv?: readonly string[] } = {},
): Record<string, string> {
  const named = new Set(options.passEnv)
  const child: Record<string, string> = { RUST_LOG: 'warn' }
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (isAllowed(name) || named.has(name))) child[name] = value
  }
  Object.assign(child, options.extra)
  if (options.codexHome !== undefined) child.CODEX_HOME = options.codexHome
  return child
}

/** Without regard to case: Windows says `Path`, and proxies are spelled both ways. */
function isAllowed(name: string): boolean {
  const upper = name.toUpperCase()
  if (names.has(upper)) return true
  if (outerCodex.has(upper) || secrets.test(upper)) return false
  return prefixes.some((prefix) => upper.startsWith(prefix))
}
