// Bundled and run: a turn of the real codex on a scripted model, then a socket where nobody listens.
import { hasCode, openCodex } from 'codex-drawbridge'
import { localHost, webSocketHost } from 'codex-drawbridge/hosts'
import { makeCodexHome, makeWorkspace, message, startScriptedModel } from 'codex-drawbridge/testing'

async function main() {
  const model = await startScriptedModel([message('hello from a bundle')])
  const home = await makeCodexHome(model)
  const workspace = await makeWorkspace()
  const codex = await openCodex(localHost({ codexHome: home.path, registryDir: null }))
  try {
    const thread = await codex.startThread({ cwd: workspace.path })
    const outcome = await (await thread.startTurn('hi', { timeoutMs: 30_000 })).outcome
    const socket = webSocketHost({ socketPath: `${workspace.path}/nobody.sock` })
    const refused = await socket.open({}).catch((error: unknown) => error)
    const code = hasCode(refused, 'app-server-unreachable', 'ws-not-loaded') ? refused.code : String(refused)
    console.log(JSON.stringify({ status: outcome.status, text: outcome.text, socket: code }))
  } finally {
    await codex.close()
    await model.close()
    await home.remove()
    await workspace.remove()
  }
}

void main()
