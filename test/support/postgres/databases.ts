import { Client } from 'pg'
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts'
import { type PostgresServer, startPostgres } from './server.ts'

export interface MadeDatabase {
  readonly name: string
  readonly url: string
}

/** `empty`, or with the tables of the newest schema, which saves a test the time to migrate. */
export type Template = 'empty' | 'migrated'

const TEMPLATES = { empty: 'template0', migrated: 'migrated' } as const

/** Databases on one server, which is started for the first of them. */
export class Databases {
  #started: Promise<Started> | null = null
  #migrated: Promise<void> | null = null
  /** The next migrated one, made while a test runs. */
  #spare: Promise<MadeDatabase> | null = null
  /** Copies of a template are made one at a time: more would wait for the template's lock anyway. */
  #queue: Promise<unknown> = Promise.resolve()
  #count = 0

  async create(template: Template): Promise<MadeDatabase> {
    if (template === 'empty') return this.#copy(template)
    this.#migrated ??= this.#migrate()
    await this.#migrated
    const made = this.#spare ?? this.#copy(template)
    this.#spare = made.then(() => this.#copy(template))
    this.#spare.catch(() => {}) // told to the test that takes it
    return made
  }

  /** In its turn: no test waits for it. */
  drop(name: string): void {
    this.#query(`drop database if exists ${name} with (force)`).catch(() => {})
  }

  async close(): Promise<void> {
    const started = await this.#started?.catch(() => null)
    await this.#spare?.catch(() => {})
    await this.#queue
    await started?.admin.end()
    await started?.server.close()
  }

  async #copy(template: Template): Promise<MadeDatabase> {
    const name = `test_${++this.#count}`
    // Files are copied as they are: a quarter of the time of going through the log, which is the default since 15.
    await this.#query(`create database ${name} template ${TEMPLATES[template]} strategy file_copy`)
    const { server } = await this.#started!
    return { name, url: server.url(name) }
  }

  async #migrate(): Promise<void> {
    await this.#query(`create database ${TEMPLATES.migrated} template template0 strategy file_copy`)
    const { server } = await this.#started!
    await (await openPostgres({ url: server.url(TEMPLATES.migrated) })).close()
  }

  #query(text: string): Promise<unknown> {
    this.#started ??= start()
    const done = this.#queue.then(async () => (await this.#started!).admin.query(text))
    this.#queue = done.catch(() => {})
    return done
  }
}

interface Started {
  readonly server: PostgresServer
  readonly admin: Client
}

async function start(): Promise<Started> {
  const server = await startPostgres()
  const admin = new Client(server.url('postgres'))
  await admin.connect()
  return { server, admin }
}
