// A service with accounts on a scripted issuer: the command line, the codex home whose login is captured, the model behind
// the issuer's gate.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { connect, type LentAccount, readToken, type StartTask, type Task } from '../../src/api/index.ts'
import { type ModelScript, startScriptedModel } from '../../src/testing/index.ts'
import { eventually, identityOf } from '../faults/processes.ts'
import { startAccountIssuer } from './account-issuer.ts'
import { serviceStage } from './service-stage.ts'

export async function accountStage(script: ModelScript) {
  const model = await startScriptedModel(script)
  const issuer = await startAccountIssuer(model)
  onTestFinished(async () => {
    await issuer.close()
    await model.close()
  })
  const stage = await serviceStage([], issuer.home)
  Object.assign(stage.env, issuer.env)
  const authFile = path.join(stage.codexHome, 'auth.json')
  const { dataDir, cwd } = stage
  const client = () => connect({ url: stage.record().url, token: readToken(dataDir)!, actor: 'test' })
  const start = (prompt: string, more: Partial<StartTask>) => client().tasks.start({ prompt, cwd, ...more })
  return {
    ...stage,
    model,
    issuer,
    authFile,
    client,
    /** Puts a new login into the codex home and keeps a copy of it as an account of the same name. */
    async capture(accountId: string, ...args: string[]): Promise<LentAccount> {
      writeFileSync(authFile, issuer.login(accountId).authJson, { mode: 0o600 })
      return stage.json('account', 'add', accountId, '--capture', '--with-config', ...args)
    },
    startTask: start,
    /** Starts a task and waits for its end. */
    async run(prompt: string, more: Partial<StartTask>): Promise<Task> {
      const { id } = await start(prompt, more)
      return client().tasks.wait(id, { timeoutMs: 60_000 })
    },
    account: async (name: string) => (await client().accounts.list()).find((each) => each.name === name)!,
    homeOf: (id: string) => path.join(dataDir, 'accounts', id, 'home'),
    /** As a power cut would, but codex goes on. */
    async killService(): Promise<void> {
      const { pid } = stage.record()
      process.kill(pid, 'SIGKILL')
      await eventually(() => identityOf(pid) === null, 'the service is gone')
    },
    appServerPids: () => pidsIn(path.join(dataDir, 'app-servers')),
  }
}

/** Of the app-servers that are on record. */
function pidsIn(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => (JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as { pid: number }).pid)
}
