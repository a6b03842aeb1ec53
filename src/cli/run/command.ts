import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { localHost } from '../../hosts/index.ts'
import { EXIT_CODES_HELP } from '../exit-code.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { JsonView } from './json-view.ts'
import { exitCode, interruptedResult, type RunView, resultOfError } from './run-result.ts'
import { runTurn } from './run-turn.ts'
import { TerminalView } from './terminal-view.ts'
import { type RunFlags, SANDBOX_MODES, turnRequest } from './turn-request.ts'

const HELP = `
Examples:
  drawbridge run "explain what this folder does"
  drawbridge run --sandbox workspace-write "fix the failing test"
  git diff | drawbridge run -                  the prompt from stdin
  drawbridge run --resume <threadId> "and now the docs"
  drawbridge run --json "list the TODOs" | jq -r 'select(.type == "result").text'

The answer goes to stdout, what Codex does to stderr. With --json stdout is JSON lines: {"type":"codex",…} for each
of Codex's notifications, a few of our own, and last {"type":"result","status":…,"text":…}.
Codex may ask before it does more than the sandbox allows. Nobody is there to answer, so it is declined, visibly.
${EXIT_CODES_HELP}`

export function addRunCommand(program: Command, surroundings: Surroundings): void {
  program
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
    .option('--resume <threadId>', 'continue this thread')
    .option('--timeout <seconds>', 'give up, and interrupt the turn, after this long', '3600')
    .option('--codex <path>', 'the codex program to use (default: $DRAWBRIDGE_CODEX, PATH, the bundled one)')
    .option('--output-schema <file>', 'a JSON Schema that the answer must follow')
    .option('--image <file>', 'show this image to the model; repeatable', collect, [])
    .option('--json', 'print JSON lines for programs')
    .addHelpText('after', HELP)
    .action(async (prompt: string | undefined, flags: RunFlags) => {
      surroundings.exit(await run(prompt, flags, surroundings))
    })
}

async function run(prompt: string | undefined, flags: RunFlags, surroundings: Surroundings): Promise<number> {
  const view = openView(flags, surroundings)
  try {
    const request = turnRequest(await promptText(prompt, surroundings), flags)
    const host = localHost({ env: surroundings.env, codexPath: flags.codex })
    return await runTurn(request, { host, view, signal: surroundings.interrupted })
  } catch (error) {
    const result = surroundings.interrupted.aborted ? interruptedResult(null) : resultOfError(error, null)
    view.result(result)
    return exitCode(result, false)
  }
}

function openView({ json }: RunFlags, { stdout, stderr, useColour }: Surroundings): RunView {
  if (json) return new JsonView((text) => void stdout.write(text))
  return new TerminalView(new Terminal({ stdout, stderr, useColour }))
}

function promptText(
  prompt: string | undefined,
  { stdin, interrupted }: Surroundings,
): string | Promise<string> {
  if (prompt !== undefined && prompt !== '-') return prompt
  if (prompt === undefined && stdin.isTTY)
    throw new UsageError('no prompt: drawbridge run "<what Codex should do>"')
  return readAll(addAbortSignal(interrupted, stdin))
}

function collect(value: string, all: readonly string[]): string[] {
  return [...all, value]
}
