// Codex's own configuration: what it goes by, what is wrong with it, and what it can take over from other applications.
import { type Command, Option } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { collectWords } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addDataDirOption } from '../service/index.ts'
import type { ConfigFlags } from './config-place.ts'
import type { ImportFlags } from './import-flags.ts'
import type { ShowFlags } from './show.ts'
import type { SourcesFlags } from './sources.ts'

const IMPORT_HELP = `
Reads the MCP servers of other applications, shows the whole change of config.toml and which commands Codex would start,
and asks. Your own entries stay as they are; what is imported stands in one block that is written again each time.
References to variables stay references. Secrets that are written out are not copied unless you say so for each, or
--with secrets for all. What cannot be translated is told for each server, with what to do.

--with takes: secrets (copy them), plugins (those that Codex has installed), and what Codex takes over by itself from
Claude Code and Cursor: skills, agents-md, subagents, commands, sessions.

Exit codes:
  0    written, or nothing to change
  1    failed, or a file could not be read
  2    bad usage
  3    not written: the answer was no, or nobody could be asked
  130  interrupted`

export function addConfigCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const config = program
    .command('config')
    .summary("Codex's configuration: import, show, change, check")
    .description("About Codex's own configuration, config.toml in its home.")
  if (isListed) return
  addSources(config, surroundings)
  addImport(config, surroundings)
  addUndo(config, surroundings)
  addShow(config, surroundings)
  addSet(config, surroundings)
  addCheck(config, surroundings)
  addExamples(config, [
    ['drawbridge config sources', 'MCP servers that other applications have'],
    ['drawbridge config import --from claude-code', 'the same for Codex, after you have seen it'],
    ['drawbridge config check', 'misspelt keys, which Codex accepts in silence'],
  ])
}

const HOME = ['--home <folder>', "Codex's own folder (default: $CODEX_HOME, ~/.codex)"] as const
const CODEX = [
  '--codex <path>',
  'the codex program to ask (default: $DRAWBRIDGE_CODEX, PATH, the bundled one)',
] as const
const JSON_OUT = ['--json', 'print one JSON value for programs'] as const
const PROJECT = ['--project [folder]', 'also what a project configures (default: here)'] as const

function addSources(config: Command, surroundings: Surroundings): void {
  const sources = config
    .command('sources')
    .summary('MCP servers that other applications have')
    .description(
      'Lists the MCP servers that other applications on this machine have configured. Runs nothing.',
    )
    .option(...PROJECT)
    .option(...JSON_OUT)
    .action(
      acting(surroundings, async (flags: SourcesFlags) => {
        const { showSources } = await import('./sources.ts')
        return showSources(flags, surroundings)
      }),
    )
  addExamples(sources, ['drawbridge config sources', 'drawbridge config sources --project --json'])
}

function addImport(config: Command, surroundings: Surroundings): void {
  const command = config
    .command('import')
    .summary('take over MCP servers from other applications')
    .description("Takes over MCP servers from other applications into Codex's config.toml.")
    .option(
      '--from <names>',
      'which, in the order of preference: `config sources` shows them',
      collectWords,
      [],
    )
    .option(...PROJECT)
    .option(...HOME)
    .option('--with <what>', 'also copy or take over this; see below', collectWords, [])
    .option(
      '--allow-env <names>',
      'set these variables though they can make a server run other code',
      collectWords,
      [],
    )
    .option(
      '--resolve <names>',
      'write down what these variables are now, where Codex fills in none',
      collectWords,
      [],
    )
    .addOption(
      new Option('--rules <for>', 'permission rules too, as a rules file or as standing rules').choices([
        'codex',
        'drawbridge',
      ]),
    )
    .option(
      '--permissions <profile>',
      'default permission profile to set, such as :workspace (default: none)',
    )
    .option('--no-start', 'do not try whether the servers start')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'write it without asking')
    .option(...CODEX)
    .option(...JSON_OUT)
  addDataDirOption(command).action(
    acting(surroundings, async (flags: ImportFlags) => {
      const { runImport } = await import('./import.ts')
      return runImport(flags, surroundings)
    }),
  )
  addExamples(
    command,
    [
      ['drawbridge config import --dry-run', 'what there is, and what would become of it'],
      'drawbridge config import --from claude-code,cursor',
      'drawbridge config import --from claude-code --rules codex --with skills --yes',
    ],
    IMPORT_HELP,
  )
}

function addUndo(config: Command, surroundings: Surroundings): void {
  const undo = config
    .command('undo')
    .summary('take back what was last written')
    .description(
      'Takes back the last import, set or unset, exactly. What you have changed elsewhere since stays.',
    )
    .option(...HOME)
    .option(...JSON_OUT)
  addDataDirOption(undo).action(
    acting(surroundings, async (flags: ConfigFlags) => {
      const { runUndo } = await import('./undo.ts')
      return runUndo(flags, surroundings)
    }),
  )
  addExamples(undo, ['drawbridge config undo', 'drawbridge config undo --home ~/.codex-work'])
}

function addShow(config: Command, surroundings: Surroundings): void {
  const show = config
    .command('show')
    .summary('what Codex goes by, and where each value is from')
    .description('Shows the values in force and the file or layer each is from. Secrets are hidden.')
    .argument('[key]', 'only this key and those below it, such as mcp_servers.github')
    .option('--all', "Codex's defaults, too")
    .option('--cwd <folder>', 'as for a task in this folder (default: here)')
    .option(...HOME)
    .option(...CODEX)
    .option(...JSON_OUT)
    .action(
      acting(surroundings, async (key: string | undefined, flags: ShowFlags) => {
        const { runShow } = await import('./show.ts')
        return runShow(key, flags, surroundings)
      }),
    )
  addExamples(show, ['drawbridge config show', 'drawbridge config show features --all'])
}

function addSet(config: Command, surroundings: Surroundings): void {
  const set = config
    .command('set')
    .summary('set a key of config.toml')
    .description('Sets a key of config.toml. Codex checks the value and keeps comments and order.')
    .argument('<key>', 'dotted; quote a name with dots in it: mcp_servers."a.b".enabled')
    .argument('<value>', 'TOML, or plain text')
    .option(...HOME)
    .option(...CODEX)
    .option(...JSON_OUT)
  addDataDirOption(set).action(
    acting(surroundings, async (key: string, value: string, flags: ConfigFlags) => {
      const { runSet } = await import('./set.ts')
      return runSet(key, value, flags, surroundings)
    }),
  )
  addExamples(set, [
    'drawbridge config set model gpt-5.5',
    `drawbridge config set mcp_servers.github.enabled false`,
  ])
  const unset = config
    .command('unset')
    .summary('take a key out of config.toml')
    .description('Takes a key, or a table with all its keys, out of config.toml.')
    .argument('<key>', 'dotted, as for `config set`')
    .option(...HOME)
    .option(...CODEX)
    .option(...JSON_OUT)
  addDataDirOption(unset).action(
    acting(surroundings, async (key: string, flags: ConfigFlags) => {
      const { runUnset } = await import('./set.ts')
      return runUnset(key, flags, surroundings)
    }),
  )
  addExamples(unset, ['drawbridge config unset model', 'drawbridge config unset mcp_servers.github'])
}

function addCheck(config: Command, surroundings: Surroundings): void {
  const check = config
    .command('check')
    .summary('find misspelt keys and wrong values')
    .description(
      'Finds what Codex does not understand in config.toml, with line and column. Changes nothing.',
    )
    .option(...HOME)
    .option(...CODEX)
    .option(...JSON_OUT)
  addDataDirOption(check).action(
    acting(surroundings, async (flags: ConfigFlags) => {
      const { runCheck } = await import('./check.ts')
      return runCheck(flags, surroundings)
    }),
  )
  addExamples(check, [
    'drawbridge config check',
    `drawbridge config check --json | jq -r '.problems[].path | join(".")'`,
  ])
}
