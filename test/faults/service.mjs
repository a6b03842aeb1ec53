// A service, to be killed: starts a turn on an app-server that outlives it, says where, and waits.
import { openCodex } from '../../src/codex/index.ts'
import { appServerPool } from '../../src/hosts/index.ts'

const { pool, key, cwd } = JSON.parse(process.argv[2])
const appServer = await appServerPool(pool).get(key, {})
const codex = await openCodex(appServer.host)
const thread = await codex.startThread({ cwd, sandbox: 'workspace-write' })
const turn = await thread.startTurn('go')
process.stdout.write(`${JSON.stringify({ pid: codex.pid, threadId: thread.id, turnId: turn.id })}\n`)
