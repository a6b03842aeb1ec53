// `drawbridge mcp install`: prints a client's entry, or writes it into the client's file when a person says so.
import { homedir } from 'node:os'
import path from 'node:path'
import { DrawbridgeError } from '../../codex/index.ts'
import { CLIENT_APPS, type ClientApp, ENTRY_NAME, type Entry, entryIn, withEntry } from '../../mcp/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { isMeant } from '../prompts/index.ts'
import { tell, visible } from '../screen/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { changedLines } from './changed-lines.ts'
import { forget, readClientFile, remember, remembered, replaceClientFile } from './client-file.ts'

export interface InstallFlags extends ServiceFlags {
  readonly client: string
  readonly as?: string
  readonly file?: string
  readonly write?: boolean
  readonly undo?: boolean
  readonly yes?: boolean
}

interface Target {
  readonly client: string
  readonly app: ClientApp
  readonly file: string
  readonly dataDir: string
}

export async function install(flags: InstallFlags, surroundings: Surroundings): Promise<number> {
  const target = targetOf(flags, surroundings)
  if (flags.undo) return undo(target, flags, surroundings)
  const entry = entryFor(target, flags, surroundings)
  if (!flags.write) return print(target, entry, surroundings)
  const before = readClientFile(target.file)
  const after = inFile(target, () => withEntry(before ?? '', target.app, entry))
  if (after === before) {
    tell(surroundings, `${target.app.title} has it already, in ${target.file}.`)
    return EXIT.done
  }
  const code = await change(target, { before, after }, { flags, surroundings })
  if (code !== EXIT.done) return code
  // The oldest one stays: undo goes back to what was there before us.
  const earlier = remembered(target.dataDir, target.client)
  const isOurs = earlier?.file === target.file && earlier.after === before
  remember(target.dataDir, target.client, {
    file: target.file,
    before: isOurs ? earlier.before : before,
    after,
  })
  tell(
    surroundings,
    `Written. Start ${target.app.title} again. Undo: drawbridge mcp install --client ${target.client} --undo`,
  )
  return EXIT.done
}

/** As it was before, if nobody has changed the file since; else only our entry goes, or is what it was. */
async function undo(target: Target, flags: InstallFlags, surroundings: Surroundings): Promise<number> {
  const { app, dataDir, client } = target
  const earlier = remembered(dataDir, client)
  const file = flags.file === undefined && earlier ? earlier.file : target.file
  const before = readClientFile(file)
  const isOurs = earlier?.file === file
  if (before === null || inFile({ ...target, file }, () => entryIn(before, app)) === undefined) {
    tell(surroundings, `${app.title} has no entry ${ENTRY_NAME} in ${file}.`)
    return EXIT.done
  }
  const kept =
    isOurs && earlier.before !== null ? (entryIn(earlier.before, app) as Entry | undefined) : undefined
  const after =
    isOurs && earlier.after === before
      ? earlier.before
      : inFile({ ...target, file }, () => withEntry(before, app, kept ?? null))
  const code = await change({ ...target, file }, { before, after }, { flags, surroundings })
  if (code === EXIT.done && isOurs) forget(dataDir, client)
  return code
}

interface Change {
  readonly before: string | null
  readonly after: string | null
}

async function change(
  { file, app }: Target,
  { before, after }: Change,
  { flags, surroundings }: { flags: InstallFlags; surroundings: Surroundings },
): Promise<number> {
  const { stdin, stderr } = surroundings
  tell(surroundings, `${file}${after === null ? ' is removed' : before === null ? ' (new)' : ''}:`)
  for (const line of changedLines(before ?? '', after ?? '')) tell(surroundings, visible(line))
  if (!flags.yes && !(stdin.isTTY && stderr.isTTY))
    throw new UsageError(`this changes a file of ${app.title}: say --yes`)
  if (!flags.yes && !(await isMeant(`Change ${file}?`, surroundings)))
    return surroundings.interrupted.aborted ? EXIT.interrupted : EXIT.declined
  replaceClientFile(file, before, after)
  return EXIT.done
}

function targetOf(flags: InstallFlags, surroundings: Surroundings): Target {
  const app = Object.hasOwn(CLIENT_APPS, flags.client) ? CLIENT_APPS[flags.client] : undefined
  if (!app) throw new UsageError(`--client is one of ${Object.keys(CLIENT_APPS).join(', ')}`)
  const { env } = surroundings
  const file = path.resolve(
    flags.file ?? app.file({ home: env.HOME || homedir(), platform: process.platform, env }),
  )
  return { client: flags.client, app, file, dataDir: dataDirOf(flags, surroundings) }
}

/** By absolute paths: programs that are started from a desktop do not have the PATH of a terminal. */
function entryFor({ app, dataDir }: Target, flags: InstallFlags, { self, env }: Surroundings): Entry {
  const [command, ...args] = self
  const isElsewhere = flags.dataDir !== undefined || env.DRAWBRIDGE_HOME !== undefined
  return app.entry({
    command,
    args: [
      ...args,
      'mcp',
      ...(flags.as === undefined ? [] : ['--as', flags.as]),
      ...(isElsewhere ? ['--data-dir', dataDir] : []),
    ],
  })
}

function print({ app, file }: Target, entry: Entry, surroundings: Surroundings): number {
  surroundings.stdout.write(withEntry('', app, entry))
  tell(surroundings, `This goes into ${file}. With --write it is put there.`)
  return EXIT.done
}

function inFile<T>({ file }: Target, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DrawbridgeError) || error.code !== 'file-unreadable') throw error
    throw new DrawbridgeError(`${file} is left as it is: ${error.message}`, {
      code: error.code,
      cause: error,
    })
  }
}
