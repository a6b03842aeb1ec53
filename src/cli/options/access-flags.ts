// What a task may touch besides its sandbox mode, as a command line says it.
import { type Command, Option } from 'commander'
import { UsageError } from '../process/index.ts'
import { collect } from './approval-flags.ts'

/** As the API takes it. */
export type NamedNetwork = boolean | { domains: string[] }

export const ACCESS_HELP = `What commands may touch, from Codex 0.161 on, besides what --sandbox says:
  --confined --allow ro:../docs                  only the workspace and ../docs can be seen
  --sandbox workspace-write --allow rw:../site   ../site may be written to as well
  --network domains:pypi.org,*.npmjs.org         these hosts and no others can be reached`

export interface AccessFlags {
  /** true: without a value. */
  readonly network?: string | true
  readonly allow?: readonly string[]
  readonly confined?: boolean
}

export function addAccessOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--network [what]',
        'whether commands reach the network from inside the sandbox: off, on, or domains:<a.com,*.b.org>',
      )
        .default(undefined, 'off; on without a value')
        // At once: otherwise a prompt that it has swallowed would be missed first.
        .argParser(checkedNetwork),
    )
    .option(
      '--allow <ro|rw:path>',
      'commands may also read (ro), or read and write (rw), this file or folder; repeatable',
      collect,
      [],
    )
    .option(
      '--confined',
      'commands see only the workspace, what --allow names, and the programs of the system',
    )
}

function checkedNetwork(text: string): string {
  networkOf(text)
  return text
}

export function networkOf(text: string | true | undefined): NamedNetwork | undefined {
  if (text === undefined) return undefined
  if (text === true || text === 'on') return true
  if (text === 'off') return false
  const named = /^domains:(.*)$/s.exec(text)?.[1]
  if (named === undefined)
    throw new UsageError(
      `--network: not off, on or domains:<a.com,b.org>: ${JSON.stringify(text)}. Before a prompt write --network=on`,
    )
  return { domains: words(named) }
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')
}
