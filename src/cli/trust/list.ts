import type { Command } from 'commander'
import type { TrustList } from '../../api/index.ts'
import { addExamples } from '../help/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { ago, type Cell, printJson, printLines, printTable } from '../screen/index.ts'
import { acting } from '../service/index.ts'
import { addTrustOptions, type TrustFlags, trustPlace } from './trust-options.ts'

export function addTrustList(trust: Command, surroundings: Surroundings): void {
  const list = trust
    .command('list')
    .summary('trusted folders, and what untrusted ones cannot read')
    .description(
      "Lists the folders you trust, those that Codex's own config.toml names, and the protected paths in force.",
    )
  addExamples(list, ['drawbridge trust list', `drawbridge trust list --json | jq -r '.protectedPaths[]'`])
  addTrustOptions(list).action(
    acting(surroundings, async (flags: TrustFlags) => {
      const found = (await trustPlace(flags, surroundings)).list()
      if (flags.json) printJson(surroundings, found)
      else show(found, surroundings)
      return EXIT.done
    }),
  )
}

function show(found: TrustList, surroundings: Surroundings): void {
  const { folders, codexFolders, protectedPaths } = found
  if (folders.length + codexFolders.length === 0) surroundings.stderr.write('No folder is trusted.\n')
  else printTable(surroundings, trustTable(found, Date.now()))
  const colour = 'dim' as const
  printLines(surroundings, [
    '',
    { text: 'Commands in untrusted folders cannot read (`protectedPaths` in settings.json):', colour },
    ...protectedPaths.map((each) => `  ${each}`),
  ])
}

function trustTable({ folders, codexFolders }: TrustList, now: number): Cell[][] {
  return [
    ['SINCE', 'BY', 'TRUST', 'FOLDER'].map((text): Cell => ({ text, colour: 'dim' })),
    ...folders.map(({ root, by, trustedAt }): Cell[] => [
      { text: ago(trustedAt, now) },
      { text: by },
      { text: 'trusted', colour: 'green' },
      { text: root },
    ]),
    ...codexFolders.map(({ folder, trust }): Cell[] => [
      { text: '' },
      { text: 'codex' },
      { text: trust, colour: trust === 'trusted' ? 'green' : 'yellow' },
      { text: folder },
    ]),
  ]
}
