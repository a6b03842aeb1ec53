// `drawbridge run`, from its flags to its exit code.
import path from 'node:path'
import { presetNotes, registerSecrets } from '../../codex/index.ts'
import { readSettings } from '../../config/index.ts'
import { CodexUnsuitableError, dataDir, localHost, realPath } from '../../hosts/index.ts'
import { namedCodexHome, promptText, standingYes, threadApprovals } from '../options/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { makeApprover, personAt } from '../prompts/index.ts'
import { Terminal } from '../screen/index.ts'
import { tokenIn } from '../service/index.ts'
import { guardOf, trustFirst } from '../trust/index.ts'
import { JsonView } from './json-view.ts'
import { namingTheRule } from './naming-the-rule.ts'
import { exitCode, interruptedResult, type RunView, resultOfError } from './run-result.ts'
import { runTurn } from './run-turn.ts'
import { TerminalView } from './terminal-view.ts'
import { type RunFlags, turnRequest } from './turn-request.ts'

const USAGE = 'drawbridge run "<what Codex should do>"'

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
    const { onStage } = await import('./on-stage.ts')
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
  const notes = presetNotes(flags.approve ?? 'ask-all', { workspaceRoots, resolve: realPath })
  for (const note of notes) terminal?.line(note, 'yellow')
  const person = terminal && prompt !== '-' ? personAt(terminal, surroundings) : null
  const asking = person && { terminal: terminal!, surroundings }
  if (!(await trustFirst({ cwd: request.cwd, codexHome, dataDir: data, env, settings }, { asking, tell })))
    return EXIT.interrupted
  const trust = guard.trustOf({ cwd: request.cwd, codexHome })
  const onApproval = namingTheRule(makeApprover({ person, yes }))
  const signal = surroundings.interrupted
  return await runTurn(request, { host, codexHome, view, approvals, trust, onApproval, signal })
}
