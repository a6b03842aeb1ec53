// A snapshot that was taken with one version of codex goes on with another, and the model sees its history.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { installCodex } from '../../scripts/codex-versions.mjs'
import { rolloutsOf } from '../../src/tasks/index.ts'
import { message, shell } from '../../src/testing/index.ts'
import { ChunkCodec } from '../../src/workspaces/snapshots/chunk-codec.ts'
import { ChunkStore } from '../../src/workspaces/snapshots/chunk-store.ts'
import { pack, unpack, verify } from '../../src/workspaces/snapshots/pack.ts'
import { placeThread, rolloutWay } from '../../src/workspaces/snapshots/place-thread.ts'
import { openClient } from '../support/open-client.ts'
import { runTurn } from './run-turn.ts'

const RULES = {
  ...{ exclude: [], gitignore: false, never: new Set<string>(), homes: new Set<string>() },
  replaced: new Set<string>(),
}

it.each([
  ['0.142.5', '0.166.0'],
  ['0.166.0', '0.142.5'],
  ['0.150.1', '0.166.0'],
  ['0.166.0', '0.150.1'],
])(
  'taken with codex %s, restored with %s',
  async (before, after) => {
    const first = await openClient([[shell('echo made > a.txt; echo SEEN')], [message('I am one')]], {
      host: { codexPath: await installCodex(before) },
    })
    const thread = await first.codex.startThread({ cwd: first.cwd, sandbox: 'workspace-write' })
    expect((await runTurn(thread, 'THE TASK')).outcome).toMatchObject({ status: 'completed' })
    await first.codex.close()

    const store = new ChunkStore(path.join(first.home.path, 'snapshots'), new ChunkCodec(null))
    const extra = rolloutsOf(thread.id, first.home.path).map(({ file }) => ({
      ...{ file, root: 'thread' as const, way: rolloutWay(file, first.home.path) },
    }))
    const chunks = await pack(store, { folder: first.cwd, rules: RULES, extra, gitDir: null })
    await verify(store, chunks)

    const second = await openClient([[message('I am two')], [message('I am three')]], {
      host: { codexPath: await installCodex(after) },
    })
    const unpacked = path.join(second.home.path, 'restoring')
    mkdirSync(unpacked)
    await unpack(store, chunks, { work: second.cwd, thread: unpacked })
    expect(readFileSync(path.join(second.cwd, 'a.txt'), 'utf8')).toBe('made\n')
    const id = randomUUID()
    await placeThread(unpacked, second.home.path, { from: thread.id, to: id })
    const restored = await second.codex.resumeThread(id, { cwd: second.cwd })
    expect((await runTurn(restored, 'and now?')).outcome).toMatchObject({ text: 'I am two', threadId: id })
    expect((await runTurn(restored, 'and then?')).outcome).toMatchObject({ text: 'I am three' })
    for (const request of second.model.requests) {
      const seen = JSON.stringify(request.body)
      for (const said of ['THE TASK', 'SEEN', 'I am one', 'and now?']) expect(seen).toContain(said)
    }
    // Another app-server reads all of its turns.
    await second.codex.close()
    const { thread: read } = await (await second.open()).request('thread/read', {
      ...{ threadId: id, includeTurns: true },
    })
    expect(read.turns).toHaveLength(3)
  },
  600_000,
)
