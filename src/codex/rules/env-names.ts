// Variables set before a command. Most of them can change what runs, so an allow rule must name the ones it accepts.

const CHANGES_WHAT_RUNS = [
  /PATH|PAGER|EDITOR|VISUAL|SHELL|COMMAND|PRELOAD|CONFIG|OPTIONS|OPTS|FLAGS|PROXY|LIBRARY|WRAPPER|LINKER|HOOK/i,
  /^(?:LD|DYLD|GIT|BASH|ZSH|PYTHON|PERL|RUBY|NODE|NPM|YARN|PNPM|BUN|CARGO|RUST|GO|JAVA|JDK|MAVEN|GRADLE|SSH|XDG)/i,
  /^(?:DOCKER|KUBE|HELM|AWS|GOOGLE|AZURE|TF|CURL|WGET|OPENSSL|SSL|LESS|MAN|TAR|GCC|CMAKE|MAKE|DOTNET|PHP)/i,
  /^(?:ENV|IFS|PS[0-4]|HOME|ZDOTDIR|CC|CXX|LD|AR|TERM|TMP|TEMP|TMPDIR|BROWSER|HOSTALIASES|MALLOC_.*|GCONV.*|SUDO_.*)$/i,
]

/** Whether setting it may change which program runs, or what it loads. */
export function changesWhatRuns(name: string): boolean {
  return CHANGES_WHAT_RUNS.some((pattern) => pattern.test(name))
}

/** Whether every variable is one of `accepted`; `*` accepts those that do not change what runs. */
export function areAccepted(names: readonly string[], accepted: readonly string[]): boolean {
  return names.every((name) => !changesWhatRuns(name) && (accepted.includes(name) || accepted.includes('*')))
}
