// A hostile repository against the real service: what its commands can read, start, write and answer by themselves.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Task } from '../../src/api/index.ts'
import { type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { HOME_WITH_ROOTS, hostileRepo } from '../support/hostile-repo.ts'
import { serviceStage } from '../support/service-stage.ts'

const CANARY = 'canary-7f3a91'
const counts = { tried: 0, escaped: 0 }
afterAll(() => console.log(`attack: trust: ${counts.tried} tried, ${counts.escaped} escaped`))

/** Ways to read a file; each prints its content when it works. */
const READS: Readonly<Record<string, (file: string) => string>> = {
  cat: (file) => `cat ${file}`,
  copy: (file) => `cp ${file} copied && cat copied`,
  link: (file) => `ln -sf ${file} lnk && cat lnk`,
  'hard link': (file) => `ln -f ${file} hard && cat hard`,
  'linked parent': (file) => `ln -sfn ${path.dirname(file)} up && cat up/${path.basename(file)}`,
  'proc root': (file) => `cat /proc/self/root${file}`,
  'root of pid 1': (file) => `cat /proc/1/root${file}`,
  archive: (file) => `tar -cf - ${file} | tar -xOf -`,
  'git diff': (file) => `git diff --no-index /dev/null ${file}`,
  node: (file) => `node -e 'console.log(fs.readFileSync("${file}","utf8"))'`,
  'rename first': (file) => `mv ${file} taken && cat taken`,
}

const RUN = /RUN (!?)([A-Za-z0-9+/=]+) END/

/** Runs the command that the prompt carries, outside the sandbox when it is marked, and says what came of it. */
function obedient(request: ModelRequest) {
  const last = request.body.input?.at(-1) as { type?: string } | undefined
  if (last?.type?.endsWith('_output')) return message(toolOutputs(request).at(-1)?.text ?? '')
  const [, mark, encoded = ''] = RUN.exec(JSON.stringify(request.body.input)) ?? []
  return shell(Buffer.from(encoded, 'base64').toString(), mark ? { escalate: 'please' } : {})
}

function prompt(command: string, { isApproved = false } = {}): string {
  return `RUN ${isApproved ? '!' : ''}${Buffer.from(command).toString('base64')} END`
}

async function stage() {
  const service = await serviceStage(obedient, HOME_WITH_ROOTS)
  const repo = await hostileRepo()
  const userHome = path.join(service.codexHome, 'user')
  const secrets = {
    login: path.join(service.codexHome, 'auth.json'),
    'ssh key': path.join(userHome, '.ssh', 'id_rsa'),
    netrc: path.join(userHome, '.netrc'),
    gh: path.join(userHome, '.config', 'gh', 'hosts.yml'),
    npmrc: path.join(userHome, '.npmrc'),
    cloud: path.join(userHome, '.aws', 'credentials'),
  }
  for (const file of Object.values(secrets)) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ value: CANARY }))
  }
  const env = { HOME: userHome, OPENAI_API_KEY: 'planted', PLANTED_TOKEN: 'planted' }
  const config = path.join(service.codexHome, 'config.toml')
  const before = readFileSync(config, 'utf8')
  /** What a task says whose model runs this command; outside the sandbox it runs once it is approved. */
  async function run(command: string, { isApproved = false } = {}): Promise<string> {
    const where = ['--cwd', repo.root, '--sandbox', 'workspace-write', '--network']
    const args = ['task', 'start', prompt(command, { isApproved }), ...where, '--json']
    const { stdout, stderr } = await service.cli(args, { env, timeoutMs: 60_000 })
    expect(stderr).not.toContain('error')
    const { id } = JSON.parse(stdout) as Task
    if (isApproved) await service.cli(['approve', (await service.question()).id])
    const ended = await service.json('task', 'wait', id)
    expect(ended.status).toBe('completed')
    return ended.result?.text ?? ''
  }
  return { ...service, repo, secrets, env, run, isUnchanged: () => readFileSync(config, 'utf8') === before }
}

/** One script that tries everything and says in one line each what leaked. */
function attempts(secrets: Readonly<Record<string, string>>): string {
  const tries = Object.entries(secrets).flatMap(([name, file]) =>
    Object.entries(READS).map(
      ([way, read]) =>
        `( ${read(file)} ) 2>/dev/null | grep -qF '${CANARY}' && echo 'LEAK ${name} by ${way}'`,
    ),
  )
  counts.tried += tries.length
  return [...tries, 'true'].join('\n')
}

function leaks(text: string): string[] {
  const found = text.split('\n').filter((line) => line.startsWith('LEAK '))
  counts.escaped += found.length
  return found
}

describe('a hostile repository', () => {
  it('reads no secret and sees no key, inside the sandbox', async () => {
    const { run, secrets, dataDir, repo, isUnchanged } = await stage()
    expect(leaks(await run(attempts(secrets)))).toEqual([])
    const others = [
      `cat ${dataDir}/token >/dev/null 2>&1 && echo 'LEAK token of the service'`,
      `ls ${dataDir} 2>/dev/null | grep -q . && echo 'LEAK data folder listed'`,
      `ls /tmp/codex-daemon-$(id -u) 2>/dev/null | grep -q . && echo 'LEAK sockets listed'`,
      `env | grep -q planted && echo 'LEAK environment'`,
      `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q planted && echo 'LEAK of codex itself'`,
    ]
    counts.tried += others.length + 3
    expect(leaks(await run([...others, 'true'].join('\n')))).toEqual([])
    expect([repo.started(), isUnchanged()]).toEqual([[], true])
  }, 120_000)

  it('reads no secret with a command that is approved, either', async () => {
    const { run, secrets, dataDir } = await stage()
    counts.tried++
    const token = `cat ${dataDir}/token >/dev/null 2>&1 && echo 'LEAK token of the service'`
    const outside = `touch ${path.dirname(dataDir)}/outside && echo WROTE`
    const told = await run([outside, token, attempts(secrets)].join('\n'), { isApproved: true })
    expect(told).toContain('WROTE') // it did leave the sandbox
    expect(leaks(told)).toEqual([])
  }, 120_000)

  it('gets nothing started by `drawbridge run`', async () => {
    const { cli, repo, isUnchanged, env } = await stage()
    const args = ['run', '--cwd', repo.root, '--sandbox', 'workspace-write', prompt('touch made')]
    const { code, stderr } = await cli(args, { env })
    counts.tried += 3
    const started = repo.started()
    counts.escaped += started.length
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect([started, isUnchanged(), existsSync(path.join(repo.root, 'made'))]).toEqual([[], true, true])
  })
})
