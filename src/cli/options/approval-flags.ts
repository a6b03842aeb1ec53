// The options of the command line that say who answers Codex, and with what.
import { type Command, Option } from 'commander'
import { PRESET_MEANINGS, type PresetName } from '../../codex/index.ts'

export interface RuleFlags {
  readonly approve?: PresetName
  readonly rule: readonly string[]
}

export interface YesFlags {
  readonly yes?: boolean
  readonly yesNetwork?: boolean
  readonly yesFullAccess?: boolean
}

/** What the presets answer without a person, for `--help`. */
export const PRESETS_HELP = `Presets, and what they allow without asking:\n${Object.entries(PRESET_MEANINGS)
  .flatMap(([name, meaning]) =>
    wrapped(meaning).map((line, at) => `  ${(at === 0 ? name : '').padEnd(11)}${line}`),
  )
  .join('\n')}`

function wrapped(text: string): string[] {
  return text.match(/.{1,104}(?: |$)/g)!.map((line) => line.trim())
}

export function addRuleOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--approve <preset>',
        'rules that answer for you; trusted lets commands leave the sandbox (default: ask-all)',
      ).choices(Object.keys(PRESET_MEANINGS)),
    )
    .option(
      '--rule <rule>',
      'one more rule, like "allow command git status" or "deny path **/.env"; repeatable',
      collect,
      [],
    )
}

export function addYesOptions(command: Command): Command {
  return command
    .option('--yes', 'once, to everything the rules leave open, but no network and no full access')
    .option('--yes-network', 'with --yes: the network too')
    .option(
      '--yes-full-access',
      'with --yes: the whole file system too, and folders to write to from then on',
    )
}

export function collect(value: string, all: readonly string[]): string[] {
  return [...all, value]
}
