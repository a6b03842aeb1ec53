// How a task says that its codex runs on a host, with the login and the threads of the user there: by the home of that codex.
const PREFIX = 'ssh:'

/** What stands for the codex home of a host. */
export function remoteHome(host: string): string {
  return `${PREFIX}${host}`
}

/** The host that codex runs on; null: this machine. A path is absolute, and no such name. */
export function hostOfHome(codexHome: string | null): string | null {
  return codexHome?.startsWith(PREFIX) ? codexHome.slice(PREFIX.length) : null
}
