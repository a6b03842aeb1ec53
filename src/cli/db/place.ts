// Where a store is, as people name it on the command line: a file, or an address that need not be in the argument.
import path from 'node:path'
import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { registerSecrets } from '../../codex/index.ts'
import { databaseFile } from '../../store/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { passwordIn } from '../service/index.ts'

export type Place =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }

export interface PlaceOptions {
  readonly option: '--to' | '--from'
  readonly dataDir: string
  readonly surroundings: Pick<Surroundings, 'env' | 'stdin' | 'stderr' | 'interrupted'>
}

export async function readPlace(text: string, options: PlaceOptions): Promise<Place> {
  const { option, dataDir, surroundings } = options
  const { env, stdin, stderr, interrupted } = surroundings
  if (text === 'sqlite') return { kind: 'sqlite', file: databaseFile({ dataDir }) }
  if (text === '-')
    return addressed(await readAll(addAbortSignal(interrupted, stdin)), `${option} -: what comes from stdin`)
  const name = /^env:(.*)$/.exec(text)?.[1]
  if (name !== undefined) return addressed(env[name] ?? '', `${option}: the variable ${name}`)
  if (!/^[a-z][a-z+.-]*:\/\//i.test(text)) return { kind: 'sqlite', file: path.resolve(text) }
  const place = addressed(text, option)
  if (passwordIn(text).length > 0)
    stderr.write(
      `The password is in the command line, where other users of this machine can see it: prefer ${option} env:NAME, or ${option} -\n`,
    )
  return place
}

/** The password is hidden from now on, whatever is printed. */
export function postgresAt(url: string): Place {
  registerSecrets(passwordIn(url))
  return { kind: 'postgres', url }
}

/** What was given is not repeated: it may be a password. */
function addressed(text: string, what: string): Place {
  const url = text.trim()
  if (/^postgres(ql)?:\/\/\S+$/.test(url)) return postgresAt(url)
  throw new UsageError(`${what} is not the address of a PostgreSQL database, postgres://user@host/database`)
}
