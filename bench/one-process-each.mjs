// Twenty tasks with an app-server each, in one program: what `bench/tasks.ts` compares the service with. Plain
// JavaScript on the built library, as the service is, so that neither carries a compiler.
import { openCodex } from 'codex-drawbridge'
import { localHost } from 'codex-drawbridge/hosts'

const { homes, cwd, sandbox } = JSON.parse(process.argv[2])
const opened = []

process.once('message', async () => {
  await Promise.all(homes.map(work))
  process.send('done')
  process.once('message', async () => {
    for (const codex of opened) await codex.close()
    process.disconnect()
  })
})
process.send('ready')

async function work(codexHome) {
  const codex = await openCodex(localHost({ codexHome, registryDir: null }))
  opened.push(codex)
  const thread = await codex.startThread({ cwd, sandbox })
  const outcome = await (await thread.startTurn('work')).outcome
  if (outcome.status !== 'completed' || outcome.text !== 'done') throw new Error(outcome.status)
}
