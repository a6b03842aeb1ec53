// `drawbridge rules check`: what the rules say to a command line, part by part.
import path from 'node:path'
import type { StandingRule } from '../../api/index.ts'
import { decide, parseRuleText, presetNotes, printRule, type Rule, rulesOf } from '../../codex/index.ts'
import { realPath } from '../../hosts/index.ts'
import { type RuleFlags, threadApprovals } from '../options/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson, Terminal } from '../screen/index.ts'
import { dataDirOf, findService } from '../service/index.ts'
import { type Checked, checkReport, checkValue } from './check-report.ts'

const LOOK_MS = 2_000

export interface CheckFlags extends RuleFlags {
  readonly cwd?: string
  readonly sandboxed?: boolean
  readonly dataDir?: string
  readonly json?: boolean
}

export async function runCheck(
  command: string,
  flags: CheckFlags,
  surroundings: Surroundings,
): Promise<number> {
  if (command.trim() === '') throw new UsageError('the command is empty: say what to judge')
  const { stdout, useColour } = surroundings
  const standing = await standingRules(dataDirOf(flags, surroundings))
  const checked = check(command, flags, standing)
  const textOf = (rule: Rule) => standing.find(({ id }) => id === rule.id)?.text ?? printRule(rule)
  if (flags.json) printJson(surroundings, checkValue(checked, textOf))
  else
    show(
      checkReport(checked, textOf),
      new Terminal({ stdout, stderr: stdout, useColour: useColour && stdout.isTTY }),
    )
  return checked.decision.answer === 'allow' ? EXIT.done : EXIT.declined
}

function check(command: string, flags: CheckFlags, standing: readonly StandingRule[]): Checked {
  const cwd = path.resolve(flags.cwd ?? '.')
  const workspaceRoots = [cwd]
  const asked = { kind: 'command', command, cwd, isEscalated: flags.sandboxed !== true } as const
  const decision = decide(
    [...standing.flatMap(parsedStanding), ...rulesOf(threadApprovals(flags))],
    { ...asked, threadId: '', labels: [], workspaceRoots },
    { now: Date.now(), resolve: realPath },
  )
  return { decision, notes: presetNotes(flags.approve ?? 'ask-all', { workspaceRoots, resolve: realPath }) }
}

function show(lines: ReturnType<typeof checkReport>, terminal: Terminal): void {
  for (const { text, style } of lines) terminal.line(text, style)
}

/** Those of the running service; none when none runs. Starts nothing. */
async function standingRules(dataDir: string): Promise<readonly StandingRule[]> {
  const service = await findService(dataDir, { timeoutMs: LOOK_MS })
  return (await service?.client.rules()) ?? []
}

/** As the gate of the service has it: it is told by its text. */
function parsedStanding({ id, text, expiresAt }: StandingRule): Rule[] {
  const { rule } = parseRuleText(text)
  return rule ? [{ ...rule, id, title: `"${text}"`, ...(expiresAt !== null && { expiresAt }) }] : []
}
