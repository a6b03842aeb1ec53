import { type Command, Option } from 'commander'
import { addExamples, type Example } from '../help/index.ts'
import {
  ACCESS_HELP,
  addAccessOptions,
  addRuleOptions,
  addYesOptions,
  collect,
  PRESETS_HELP,
} from '../options/index.ts'
import { EXIT_CODES_HELP, type Surroundings } from '../process/index.ts'
import { type RunFlags, SANDBOX_MODES } from './turn-request.ts'

const EXAMPLES: readonly Example[] = [
  'drawbridge run "explain what this folder does"',
  'drawbridge run --sandbox workspace-write --approve workspace "fix the failing test"',
  ['git diff | drawbridge run -', 'the prompt from stdin'],
  `drawbridge run --json "list the TODOs" | jq -r 'select(.type == "result").text'`,
]

const HELP = `
The answer goes to stdout, what Codex does to stderr. With --json stdout is JSON lines: {"type":"codex",…} for each
of Codex's notifications, a few of our own, and last {"type":"result","status":…,"text":…}.

Codex asks before it does more than the sandbox allows. Who answers, in this order:
  1. rules: --approve and --rule. \`drawbridge rules check "<command>"\` explains what they would say.
  2. --yes, if given: once, to all that is left. Not covered: the network (--yes-network); the whole file
     system, or a folder to write to from then on (--yes-full-access). It never answers "always".
  3. you, on a terminal: [o]nce, for this [s]ession, [a]lways, [d]eny, [c]ancel the turn; ? explains.
  4. nobody: it is declined, visibly, and the exit code is 3. So it is with --json, and when stdin is not a terminal.

${PRESETS_HELP}

${ACCESS_HELP}
${EXIT_CODES_HELP}`

export function addRunCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('run')
    .summary('run one turn and stream what happens')
    .description('Runs one turn on Codex, in the current folder, and streams what happens.')
    .argument('[prompt]', 'what Codex should do; - reads it from stdin')
    .option('--cwd <folder>', 'where Codex works (default: here)')
    .option('--model <model>', "the model (default: Codex's own setting)")
    .option('--effort <effort>', 'how hard the model thinks: low, medium, high, …')
    .addOption(
      new Option('--sandbox <mode>', 'what commands may touch').choices(SANDBOX_MODES).default('read-only'),
    )
  addYesOptions(addRuleOptions(addAccessOptions(command)))
    .option('--resume <threadId>', 'continue this thread')
    .option('--timeout <seconds>', 'give up, and interrupt the turn, after this long', '3600')
    .option('--codex <path>', 'the codex program to use (default: $DRAWBRIDGE_CODEX, PATH, the bundled one)')
    .option('--codex-home <folder>', "Codex's own folder (default: $CODEX_HOME, ~/.codex)")
    .option('--pass-env <name>', 'hand this variable on to Codex; repeatable', collect, [])
    .option('--output-schema <file>', 'a JSON Schema that the answer must follow')
    .option('--image <file>', 'show this image to the model; repeatable', collect, [])
    .option('--demo', 'on the built-in demo model, in a sample of its own: no account needed')
    .option('--json', 'print JSON lines for programs')
    .action(async (prompt: string | undefined, flags: RunFlags) => {
      const { run } = await import('./run.ts')
      surroundings.exit(await run(prompt, flags, surroundings))
    })
  addExamples(command, EXAMPLES, HELP)
}
