import { DrawbridgeError } from '../../codex/index.ts'

/** The command line asked for something that cannot be: exit code 2 and one line. */
export class UsageError extends DrawbridgeError {
  constructor(message: string) {
    super(message, { code: 'bad-usage' })
  }
}
