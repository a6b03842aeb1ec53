// Where a login could come out: to commands of tasks, and in whatever Drawbridge writes down or says.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { lastUserText, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { accountStage } from '../../support/account-stage.ts'

it('a command of a task in an untrusted folder gets neither login nor key, even when a person lets it out of the sandbox', async () => {
  const key = 'K'.repeat(43)
  // The words of each command are in the prompt.
  const stage = await accountStage((request) => {
    const [how, command] = lastUserText(request).split(': ', 2) as [string, string]
    if (toolOutputs(request).length > 0) return message('done')
    return shell(command, how === 'escalated' ? { escalate: 'please' } : {})
  })
  const { capture, client, startTask, issuer, model, dataDir, homeOf, env, json, cli } = stage
  await json('stop').catch(() => {})
  env.DRAWBRIDGE_ACCOUNT_KEY = key
  const { id } = await capture('acc-a')
  const home = homeOf(id)
  const service = stage.record().pid
  const tries = {
    login: `cat ${home}/auth.json; cp ${home}/auth.json ./stolen; ls -la ${home} ${dataDir}`,
    link: `ln -s ${home}/auth.json l; cat l; cat /proc/self/root${home}/auth.json`,
    key: `cat ${dataDir}/account-key ${dataDir}/token; env; cat /proc/${service}/environ | tr '\\0' '\\n'`,
    processes: `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a DRAWBRIDGE; cat /proc/${service}/mem | head -c 10`,
  }
  const { refreshToken, accessToken } = issuer.family('acc-a')
  for (const how of ['plain', 'escalated']) {
    for (const [name, command] of Object.entries(tries)) {
      const { id: taskId } = await startTask(`${how}: ${command}`, { account: 'acc-a' })
      if (how === 'escalated') {
        const question = await stage.question()
        await json('approve', question.id)
      }
      const task = await client().tasks.wait(taskId, { timeoutMs: 60_000 })
      expect(task.status, task.reason).toBe('completed')
      const [output] = toolOutputs(model.requests.at(-1)!)
      expect(output, `${how} ${name}`).toBeTruthy()
      for (const secret of [refreshToken, accessToken, key])
        expect(output, `${how} ${name}`).not.toContain(secret)
    }
  }
  expect(existsSync(path.join(home, 'auth.json'))).toBe(true)
  expect(existsSync(path.join(stage.cwd, 'stolen'))).toBe(false)
  expect((await cli(['account', 'list'])).stdout).not.toContain(key)
})

/** Of the login as it is stored. */
function versionIn(dataDir: string): unknown {
  const database = new DatabaseSync(path.join(dataDir, 'drawbridge.db'), { readOnly: true })
  try {
    return database.prepare(`select login_version as version from accounts where name = 'acc-a'`).get()
      ?.version
  } finally {
    database.close()
  }
}

/** The words of all processes of the machine, as `ps` shows them to everybody. */
function commandLines(): string {
  const read = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(read)
    .join('\n')
}

it('no token is in what is stored, written down, said or seen in process lists, from its capture to its removal', async () => {
  const stage = await accountStage((request) => {
    // As if a tool had shown it the login.
    const { refreshToken, accessToken } = stage.issuer.family(request.headers['chatgpt-account-id']!)
    const isShown = lastUserText(request) === 'show it'
    return message(isShown ? `I have read ${refreshToken} and ${accessToken}` : 'done')
  })
  const { capture, issuer, run, client, cli, json, dataDir, homeOf } = stage
  let listed = ''
  const sampling = setInterval(() => (listed = commandLines() + listed.slice(0, 5_000_000)), 50)
  const said: string[] = []
  try {
    const { id } = await capture('acc-a')
    const key = 'sk-proj-0123456789abcdef0123456789abcdef'
    said.push(JSON.stringify(await cli(['account', 'add', 'ci', '--key'], { stdin: `${key}\n` })))
    issuer.expire('acc-a')
    const task = await run('hello', { account: 'acc-a', notify: ['local'] })
    expect(task).toMatchObject({ status: 'completed' })
    expect(issuer.family('acc-a').refreshes).toBe(1)
    await expect.poll(() => versionIn(dataDir)).toBe(2)
    said.push(JSON.stringify(await run('show it', { account: 'acc-a', notify: ['local'] })))
    said.push(JSON.stringify(task), JSON.stringify(await client().tasks.events(task.id, { limit: 500 })))
    said.push(JSON.stringify(await json('account', 'check', 'acc-a')))
    const secrets = [...issuer.issued, key]
    const holding = (text: string) => secrets.filter((secret) => text.includes(secret))
    const files = () =>
      globSync('**/*', { cwd: dataDir, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => path.join(file.parentPath, file.name))
    const exposed = () => files().filter((file) => holding(readFileSync(file, 'latin1')).length > 0)
    // Codex keeps its own history of what was said, and its login, both in the private home alone.
    const inHome = (file: string) => file.startsWith(homeOf(id))
    expect(exposed().filter((file) => !inHome(file))).toEqual([])
    expect(exposed()).toContain(path.join(homeOf(id), 'auth.json'))
    await json('stop', '--kill')
    expect(existsSync(path.join(homeOf(id), 'auth.json'))).toBe(false)
    expect(exposed().filter((file) => !inHome(file))).toEqual([])
    for (const name of ['acc-a', 'ci']) said.push(JSON.stringify(await cli(['account', 'rm', name])))
    said.push(JSON.stringify(await cli(['account', 'list', '--json'])))
    await json('stop')
    expect(files().map((file) => path.basename(file))).toContain('drawbridge.db')
    expect(exposed().filter((file) => !inHome(file))).toEqual([])
    expect(holding(said.join('\n'))).toEqual([])
  } finally {
    clearInterval(sampling)
  }
  expect(listed).toContain('app-server')
  expect(issuer.issued.filter((secret) => listed.includes(secret))).toEqual([])
})
