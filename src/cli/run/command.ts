import path from 'node:path'
import { type Command, Option } from 'commander'
import { presetNotes, registerSecrets } from '../../codex/index.ts'
import { readSettings } from '../../config/index.ts'
import { CodexUnsuitableError, dataDir, localHost } from '../../hosts/index.ts'
import { makeApprover } from '../approvals/approver.ts'
import {
  addRuleOptions,
  addYesOptions,
  collect,
  PRESETS_HELP,
  standingYes,
  threadApprovals,
} from '../approvals/flags.ts'
import { namedCodexHome } from '../codex-flags.ts'
import { EXIT, EXIT_CODES_HELP } from '../exit-code.ts'
import { addExamples, type Example } from '../help/examples.ts'
import { personAt } from '../person-at.ts'
import { promptText } from '../prompt-text.ts'
import { tokenIn } from '../service/known-secrets.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { guardOf } from '../trust/guard.ts'
import { trustFirst } from '../trust/trust-first.ts'
import { JsonView } from './json-view.ts'
import { namingTheRule } from './naming-the-rule.ts'
import { exitCode, interruptedResult, type RunView, resultOfError } from './run-result.ts'
import { runTurn } from './run-turn.ts'
import { TerminalView } from './terminal-view.ts'
import { type RunFlags, SANDBOX_MODES, turnRequest } from './turn-request.ts'

const USAGE = 'drawbridge run "<what Codex should do>"'

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
    .option('--network', 'let commands reach the network from inside the sandbox')
  addYesOptions(addRuleOptions(command))
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
      surroundings.exit(await run(prompt, flags, surroundings))
    })
  addExamples(command, EXAMPLES, HELP)
}

/** Resolves with the exit code; never rejects. */
export async function run(
  prompt: string | undefined,
  flags: RunFlags,
  surroundings: Surroundings,
): Promise<number> {
  const terminal = flags.json ? null : new Terminal(surroundings)
  const view = terminal
    ? new TerminalView(terminal, { isKept: !flags.demo })
    : new JsonView((text) => void surroundings.stdout.write(text))
  registerSecrets(tokenIn(dataDir({ env: surroundings.env, platform: process.platform })))
  const shown = { terminal, view }
  try {
    if (!flags.demo) return await runHere(prompt, flags, { shown, surroundings })
    const { onStage } = await import('../demo/on-stage.ts')
    return await onStage(flags, surroundings, (at) =>
      runHere(prompt, { ...flags, ...at }, { shown, surroundings }),
    )
  } catch (error) {
    const result = surroundings.interrupted.aborted ? interruptedResult(null) : resultOfError(error, null)
    view.result(result)
    if (error instanceof CodexUnsuitableError) terminal?.line(`→ ${error.hint}`)
    return exitCode(result, false)
  }
}

async function runHere(
  prompt: string | undefined,
  flags: RunFlags & { readonly extraEnv?: Readonly<Record<string, string>> },
  {
    shown: { terminal, view },
    surroundings,
  }: { shown: { terminal: Terminal | null; view: RunView }; surroundings: Surroundings },
): Promise<number> {
  const yes = standingYes(flags)
  const approvals = threadApprovals(flags)
  const request = turnRequest(await promptText(prompt, surroundings, USAGE), flags)
  const { codex: codexPath, passEnv } = flags
  const codexHome = flags.codexHome === undefined ? null : namedCodexHome(flags.codexHome)
  const { env } = surroundings
  const data = dataDir({ env, platform: process.platform })
  const tell = (line: string) => void surroundings.stderr.write(`${line}\n`)
  const settings = readSettings(data, env)
  const guard = guardOf({ dataDir: data, env, settings, tell })
  const host = localHost({
    env,
    codexPath,
    passEnv,
    extraEnv: flags.extraEnv,
    protect: guard.protect,
    ...(codexHome !== null && { codexHome }),
  })
  const workspaceRoots = [path.resolve(flags.cwd ?? '.')]
  const notes = presetNotes(flags.approve ?? 'ask-all', { workspaceRoots, resolve: host.realPath })
  for (const note of notes) terminal?.line(note, 'yellow')
  const person = terminal && prompt !== '-' ? personAt(terminal, surroundings) : null
  const asking = person && { terminal: terminal!, surroundings }
  if (!(await trustFirst({ cwd: request.cwd, codexHome, dataDir: data, env, settings }, { asking, tell })))
    return EXIT.interrupted
  const trust = guard.trustOf({ cwd: request.cwd, codexHome })
  const onApproval = namingTheRule(makeApprover({ person, yes }))
  const signal = surroundings.interrupted
  return await runTurn(request, { host, view, approvals, trust, onApproval, signal })
}
