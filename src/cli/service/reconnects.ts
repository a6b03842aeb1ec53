import type { ApiError } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import type { Surroundings } from '../process/index.ts'

/** A service that is being restarted is waited for this often: about a minute. */
const MAX_ATTEMPTS = 10

/** For whoever waits for news from a service that may be restarted: told once for each break, and given up at last. */
export function reconnects(
  { stderr }: Pick<Surroundings, 'stderr'>,
  tell: (line: string) => void = (line) => void stderr.write(`${line}\n`),
): (lost: ApiError | null, attempt: number) => void {
  return (lost, attempt) => {
    if (attempt > MAX_ATTEMPTS)
      throw lost ?? new DrawbridgeError('the service is gone', { code: 'unreachable' })
    if (attempt === 1) tell('… the connection to the service broke; trying again')
  }
}
