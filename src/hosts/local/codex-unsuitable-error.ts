import { DrawbridgeError } from '../../codex/index.ts'

export type CodexUnsuitableCode =
  | 'codex-not-found'
  | 'codex-not-executable'
  | 'codex-version-timed-out'
  | 'codex-version-failed'
  | 'codex-version-unparsable'
  | 'codex-too-old'
  | 'codex-spawn-failed'

/** There is no codex here that we can run. `hint` says what to do about it. */
export class CodexUnsuitableError extends DrawbridgeError {
  declare readonly code: CodexUnsuitableCode
  readonly codexPath: string
  readonly hint: string

  constructor(
    message: string,
    options: {
      code: CodexUnsuitableCode
      codexPath: string
      hint?: string
      retryable?: boolean
      cause?: unknown
    },
  ) {
    super(message, options)
    this.codexPath = options.codexPath
    this.hint = options.hint ?? hints[options.code]
  }
}

const install =
  'install it with `npm install -g @openai/codex`, or set DRAWBRIDGE_CODEX to the path of a codex'

const hints: Record<CodexUnsuitableCode, string> = {
  'codex-not-found': install,
  'codex-not-executable':
    'make it executable (`chmod +x`), or set DRAWBRIDGE_CODEX to the path of another codex',
  'codex-version-timed-out': 'run it with `--version` by hand to see what it waits for',
  'codex-version-failed': `run it with \`--version\` by hand; if it is broken, ${install}`,
  'codex-version-unparsable': `check that this is the Codex CLI; if it is not, ${install}`,
  'codex-too-old': 'update it with `npm install -g @openai/codex@latest`',
  'codex-spawn-failed': 'the system refused to start a process: check its memory, process and file limits',
}
