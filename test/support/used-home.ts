// Codex homes that codex has been started in before, as its users have them. A first start makes five databases, which
// takes two thirds of its processor time; tests about first starts use `makeCodexHome`.
import { cpSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openCodex } from '../../src/codex/index.ts'
import { localHost } from '../../src/hosts/index.ts'
import { type CodexHomeOptions, makeCodexHome, makeWorkspace } from '../../src/testing/index.ts'

/** The folder to copy; unset where none was prepared. */
export const USED_HOME_VARIABLE = 'DRAWBRIDGE_TEST_USED_HOME'

/** For the codex of this repository only: another version has other databases. */
export async function makeUsedHome(
  model: { readonly url: string },
  options: CodexHomeOptions = {},
): ReturnType<typeof makeCodexHome> {
  const home = await makeCodexHome(model, options)
  const used = process.env[USED_HOME_VARIABLE]
  if (used) cpSync(used, home.path, { recursive: true })
  return home
}

/** Once for a run: a home without config.toml and threads, ready to be copied. */
export async function prepareUsedHome(): ReturnType<typeof makeCodexHome> {
  const home = await makeCodexHome({ url: 'http://127.0.0.1:1' })
  const workspace = await makeWorkspace()
  const codex = await openCodex(localHost({ codexHome: home.path }))
  // A thread waits until the databases are complete. Without a turn it is not stored.
  await codex.startThread({ cwd: workspace.path })
  await codex.close()
  await workspace.remove()
  for (const name of await readdir(home.path)) {
    const file = path.join(home.path, name)
    if (name.endsWith('.sqlite')) closeLog(file)
    else if (name !== 'skills' && name !== 'installation_id') await rm(file, { recursive: true, force: true })
  }
  return home
}

/** Puts the write-ahead log into the database, so that it is one file. */
function closeLog(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}
