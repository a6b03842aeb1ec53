import { statSync } from 'node:fs'
import path from 'node:path'
import type { AddToken, TokenScope } from '../../api/index.ts'
import { RIGHTS, type Right } from '../../tasks/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { localTime, printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { expiryTime } from './expiry.ts'
import { ceilingText, mayText } from './scope-text.ts'

/** As the command line gives them: choices are checked, defaults are there. */
export interface AddFlags extends ServiceFlags {
  readonly tasks: TokenScope['tasks']
  readonly may: readonly string[]
  readonly sandbox: TokenScope['ceiling']['sandbox']
  readonly preset: TokenScope['ceiling']['preset']
  readonly network?: boolean
  readonly folder: readonly string[]
  readonly host: readonly string[]
  readonly account: readonly string[]
  readonly expires?: string
}

export async function addToken(name: string, flags: AddFlags, surroundings: Surroundings): Promise<number> {
  const request = requestOf(name, flags)
  const client = await serviceClient(flags, surroundings)
  const added = await client.addToken(request)
  if (flags.json) {
    printJson(surroundings, added)
    return EXIT.done
  }
  const { scope, expiresAt } = added.token
  surroundings.stdout.write(`${added.secret}\n`)
  const until = expiresAt === null ? '' : `\n  until    ${localTime(expiresAt, Date.now())}`
  tell(
    surroundings,
    `This is the secret of ${name}: it is shown this once.\n  may      ${mayText(scope!)}\n  at most  ${ceilingText(scope!)}${until}`,
  )
  for (const line of warnings(scope!)) tell(surroundings, line)
  return EXIT.done
}

function requestOf(name: string, flags: AddFlags): AddToken {
  const { tasks, sandbox, preset, network = false, folder, host, account, expires } = flags
  const folders = folder.length === 0 ? null : folder.map((each) => path.resolve(each))
  return {
    name,
    tasks,
    may: rightsIn(flags.may),
    ceiling: { sandbox, preset, network, folders, hosts: [...host], accounts: [...account] },
    ...(expires !== undefined && { expiresAt: expiryTime(expires, Date.now()) }),
  }
}

function rightsIn(words: readonly string[]): Right[] {
  if (words.length === 0) return ['read', 'start']
  const isRight = (word: string): word is Right => (RIGHTS as readonly string[]).includes(word)
  const other = words.find((word) => !isRight(word))
  if (other !== undefined)
    throw new UsageError(`--may: there is no right "${other}": use ${RIGHTS.join(', ')}, with commas`)
  return words.filter(isRight)
}

function warnings({ may, ceiling }: TokenScope): string[] {
  const missing = (ceiling.folders ?? []).filter((folder) => !isFolder(folder))
  return [
    ...(may.includes('answer-own')
      ? [
          'With answer-own it approves its own commands, those that leave the sandbox too: whatever the ceiling says, it can do all that you can on this machine.',
        ]
      : []),
    ...missing.map((folder) => `${folder} is not a folder on this machine.`),
  ]
}

function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory()
  } catch {
    return false
  }
}
