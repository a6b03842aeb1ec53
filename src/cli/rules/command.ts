import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { addRuleOptions, PRESETS_HELP } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addDataDirOption } from '../service/index.ts'
import type { CheckFlags } from './check.ts'
import { addStandingRules } from './standing.ts'

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

export function addRulesCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const rules = program
    .command('rules')
    .summary('what rules would answer, and which stand for all tasks')
    .description('About rules: what they answer for you, and which stand for all tasks of the service.')
  if (isListed) return
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
      acting(surroundings, async (command: string, flags: CheckFlags) => {
        const { runCheck } = await import('./check.ts')
        return runCheck(command, flags, surroundings)
      }),
    )
  addExamples(check, EXAMPLES, HELP)
  addExamples(rules, [
    ...EXAMPLES.slice(0, 1),
    'drawbridge rules add "deny path **/.env"',
    'drawbridge rules list',
  ])
}
