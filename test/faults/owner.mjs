// A program that uses the library, to be killed: starts a turn, says which process serves it, and waits.
import { openCodex } from '../../src/codex/index.ts'
import { localHost } from '../../src/hosts/index.ts'

const { host, cwd } = JSON.parse(process.argv[2])
const codex = await openCodex(localHost(host))
const thread = await codex.startThread({ cwd, sandbox: 'read-only' })
await thread.startTurn('go')
process.stdout.write(`${codex.pid}\n`)
