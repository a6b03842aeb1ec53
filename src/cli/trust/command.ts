// Trusting folders from the command line. Works on the record itself: no service is needed, and a running one sees it.
import path from 'node:path'
import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines, visibleLine } from '../screen/index.ts'
import { acting } from '../service/index.ts'
import { addTrustList } from './list.ts'
import { trustCardLines } from './trust-card.ts'
import type { TrustPlace } from './trust-door.ts'
import { addTrustOptions, codexHomeOf, lookedAt, type TrustFlags, trustPlace } from './trust-options.ts'

const HELP = `
A folder is untrusted until you trust it. In an untrusted folder Codex reads AGENTS.md and works in a tight sandbox:
nothing that the repository names is started, and commands cannot read logins (\`drawbridge trust list\` shows which).
Trust counts for the whole repository and its worktrees, and for what was shown: once a .codex folder in it changes,
the folder is untrusted until you confirm again. Folders that Codex's own config.toml trusts are trusted here, too.

Exit codes:
  0    trusted
  1    failed, or what was shown cannot be trusted
  2    bad usage
  3    not trusted: the answer was no, or nobody could be asked
  130  interrupted`

export function addTrustCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const trust = program
    .command('trust')
    .summary('which folders Codex may start things from')
    .description('Shows what trusting a folder would start, whole, and asks whether to trust it.')
    .argument('[folder]', 'the folder, or any below it (default: here)')
    .enablePositionalOptions()
    .option('--yes', 'trust it without asking, and print what was trusted')
  addTrustOptions(trust).action(
    acting(surroundings, async (folder: string | undefined, flags: TrustFlags) => {
      const { trustFolder } = await import('./trust-folder.ts')
      return trustFolder(folder, flags, surroundings)
    }),
  )
  if (isListed) return
  addTrustList(trust, surroundings)
  addShow(trust, surroundings)
  addRevoke(trust, surroundings)
  addExamples(
    trust,
    [
      ['drawbridge trust', 'what the repository here would start, and whether to let it'],
      ['drawbridge trust ~/work/app --yes', 'without asking'],
      ['drawbridge trust list', 'trusted folders, and what untrusted ones cannot read'],
      'drawbridge trust revoke ~/work/app',
    ],
    HELP,
  )
}

function addShow(trust: Command, surroundings: Surroundings): void {
  const show = trust
    .command('show')
    .summary('what trusting a folder would start')
    .description('Shows whether a folder is trusted and what trust would start there. Changes nothing.')
    .argument('[folder]', 'the folder (default: here)')
  addExamples(show, [
    'drawbridge trust show',
    `drawbridge trust show ~/work/app --json | jq -r '.look.layers[].mcpServers[].command'`,
  ])
  addTrustOptions(show).action(
    acting(surroundings, async (folder: string | undefined, flags: TrustFlags) => {
      const { look, trust: state } = lookedAt(await trustPlace(flags, surroundings), folder, flags)
      if (flags.json) printJson(surroundings, { trust: state, look })
      else printLines(surroundings, trustCardLines(look, state))
      return EXIT.done
    }),
  )
}

function addRevoke(trust: Command, surroundings: Surroundings): void {
  const revoke = trust
    .command('revoke')
    .summary('trust a folder no longer')
    .description('Makes a folder, and all of its repository, untrusted. What runs already goes on.')
    .argument('<folder>', 'the folder, or any below it')
  addExamples(revoke, ['drawbridge trust revoke .', 'drawbridge trust revoke ~/work/app --json'])
  addTrustOptions(revoke).action(
    acting(surroundings, async (folder: string, flags: TrustFlags) => {
      const place = await trustPlace(flags, surroundings)
      const { projectRoot } = await import('../../config/index.ts')
      const named = path.resolve(folder)
      const revoked = [projectRoot(named), named].find((root) => place.revoke(root)) ?? null
      const isLeft = isTrustedByCodex(place, named, flags)
      if (flags.json) printJson(surroundings, { revoked, isTrustedByCodex: isLeft })
      else surroundings.stderr.write(`${revokedText(revoked, named)}${isLeft ? CODEX_TRUSTS : ''}\n`)
      return revoked === null || isLeft ? EXIT.failed : EXIT.done
    }),
  )
}

const CODEX_TRUSTS =
  "\nCodex's own config.toml still trusts it: remove the [projects] entry there to change that."

function revokedText(revoked: string | null, named: string): string {
  return revoked === null
    ? `drawbridge: not on record as trusted: ${visibleLine(named)}`
    : `No longer trusted: ${visibleLine(revoked)}`
}

function isTrustedByCodex(place: TrustPlace, cwd: string, flags: TrustFlags): boolean {
  return place.look({ cwd, codexHome: codexHomeOf(flags) })?.trust.by === 'codex'
}
