import { userInfo } from 'node:os'

/** Who is at the command line, for log, audit and the record of trust. */
export function actorName(): string {
  try {
    return `cli:${userInfo().username}`.slice(0, 80)
  } catch {
    return 'cli'
  }
}
