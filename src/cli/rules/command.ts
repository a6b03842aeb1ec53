import path from 'node:path'
import type { Command } from 'commander'
import type { StandingRule } from '../../api/index.ts'
import { decide, presetNotes, printRule, type Rule, rulesOf } from '../../codex/index.ts'
import { localHost } from '../../hosts/index.ts'
import { addRuleOptions, PRESETS_HELP, type RuleFlags, threadApprovals } from '../approvals/flags.ts'
import { EXIT } from '../exit-code.ts'
import { addExamples } from '../help/examples.ts'
import { printJson } from '../output.ts'
import { acting, addDataDirOption, dataDirOf } from '../service/acting.ts'
import type { Surroundings } from '../surroundings.ts'
import { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { type Checked, checkReport, checkValue } from './check-report.ts'
import { addStandingRules, parsedStanding, standingRules } from './standing.ts'

const EXAMPLES = [
  'drawbridge rules check "git status" --approve read-only',
  'drawbridge rules check "npm test && git push" --approve workspace --rule "deny command git push"',
]

const HELP = `
A command line is judged part by part: every command in it, what those run, and every file it writes to.
Deny beats ask, ask beats allow, and what no rule allows is asked. The whole gets the strictest answer of its parts.
It is judged as one that leaves the sandbox, in a workspace that is the folder of --cwd: that is what Codex asks about.
With --sandboxed, as one that stays inside; Codex asks about those only where they want some more permissions.
Standing rules of the service count too, when it runs; \`drawbridge rules list\` shows them.

${PRESETS_HELP}

A rule is one line: an answer (allow, deny, ask), conditions, what it is about.
  allow command git status              commands that begin with these words
  allow exact npm run build             this command and no other words
  allow sandboxed=yes command make      only where it stays inside the sandbox; sandboxed=no: only where it leaves it
  deny path **/.env **/*.pem            writing there; and, for deny and ask, any command that names it
  allow mcp github.get_*                tools of MCP servers
  allow host *.example.com              hosts, where Codex asks for each
  ask cwd=@workspace/infra/** command   conditions come before: here, any command in that folder

Exit codes:
  0    allowed
  2    bad usage
  3    not allowed: denied, or somebody would be asked`

interface CheckFlags extends RuleFlags {
  readonly cwd?: string
  readonly sandboxed?: boolean
  readonly dataDir?: string
  readonly json?: boolean
}

export function addRulesCommand(program: Command, surroundings: Surroundings): void {
  const rules = program
    .command('rules')
    .summary('what rules would answer, and which stand for all tasks')
    .description('About rules: what they answer for you, and which stand for all tasks of the service.')
  addStandingRules(rules, surroundings)
  const check = rules
    .command('check')
    .summary('explain what the rules say to a command')
    .description('Explains which rules match a command line, part by part, and what they answer.')
    .argument('<command>', 'the command line')
  addDataDirOption(addRuleOptions(check))
    .option('--cwd <folder>', 'where it would run (default: here)')
    .option('--sandboxed', 'as it would be if it stayed in its sandbox')
    .option('--json', 'print one JSON value')
    .action(
      acting(surroundings, (command: string, flags: CheckFlags) => runCheck(command, flags, surroundings)),
    )
  addExamples(check, EXAMPLES, HELP)
  addExamples(rules, [
    ...EXAMPLES.slice(0, 1),
    'drawbridge rules add "deny path **/.env"',
    'drawbridge rules list',
  ])
}

async function runCheck(command: string, flags: CheckFlags, surroundings: Surroundings): Promise<number> {
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
  const resolve = localHost().realPath
  const asked = { kind: 'command', command, cwd, isEscalated: flags.sandboxed !== true } as const
  const decision = decide(
    [...standing.flatMap(parsedStanding), ...rulesOf(threadApprovals(flags))],
    { ...asked, threadId: '', labels: [], workspaceRoots },
    { now: Date.now(), resolve },
  )
  return { decision, notes: presetNotes(flags.approve ?? 'ask-all', { workspaceRoots, resolve }) }
}

function show(lines: ReturnType<typeof checkReport>, terminal: Terminal): void {
  for (const { text, style } of lines) terminal.line(text, style)
}
