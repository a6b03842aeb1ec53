// Variables that make a program load or run other code than its own. Whoever writes them into a server's entry decides
// what runs, so they are imported only when a person names them.

const NAMES = new Set(
  `NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS DENO_OPTIONS
  LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONBREAKPOINT PYTHONINSPECT PYTHONWARNINGS
  BASH_ENV ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS4 ZDOTDIR IFS
  PERL5OPT PERL5LIB PERLLIB PERL5DB RUBYOPT RUBYLIB GEM_PATH GEM_HOME
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS
  DOTNET_STARTUP_HOOKS COMPLUS_PROFILER
  GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_ASKPASS SSH_ASKPASS
  GCONV_PATH LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE
  OPENSSL_CONF PATH`
    .split(/\s+/)
    .filter((name) => name),
)

/** Of whole families: settings of loaders, of profilers, and of programs that fetch and run what they are pointed at. */
const PREFIXES = 'DYLD_ LD_ BASH_FUNC_ COR_ CORECLR_ GIT_CONFIG NPM_CONFIG_ PIP_ UV_'.split(' ')

/** Names are compared without case: on Windows they have none. */
export function isDangerousVariable(name: string): boolean {
  const upper = name.toUpperCase()
  return NAMES.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix))
}

/** A home that a test run left in a configuration: it is gone, or will be. */
export function isTestFolder(folder: string): boolean {
  return /pytest-of-|\/pytest-|\/tmp\/pytest|\/private\/var\/folders\//.test(folder.replaceAll('\\', '/'))
}
