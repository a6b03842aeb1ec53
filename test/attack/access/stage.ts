// A throw-away world for attempts: places around a workspace, and a codex whose model makes one attempt after the other.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSocket } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openCodex, type ThreadOptions } from '../../../src/codex/index.ts'
import { localHost } from '../../../src/hosts/index.ts'
import {
  applyPatch,
  type ModelRequest,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  message,
  type Reply,
  shell,
  startScriptedModel,
  toolOutputs,
} from '../../../src/testing/index.ts'
import type { Attempt } from './attempts.ts'

const CANARY = 'canary-51c0de'
const TURN_MS = 50_000
const SHARED = ['/tmp', '/dev/shm']

export interface Stage {
  /** What came of each attempt on a thread with these rights; whoever is asked says no. */
  readonly attempt: (rows: readonly Attempt[], thread: ThreadOptions) => Promise<readonly Came[]>
  readonly allow: { readonly path: string; readonly access: 'ro' | 'rw' }[]
}

export interface Came {
  readonly hasWorked: boolean
  readonly wasAsked: boolean
}

/** Everything is made anew: what one thread did, another does not find. */
export async function accessStage(): Promise<Stage> {
  let steps: readonly Reply[] = []
  let current = -1
  const asked = new Set<number>()
  const script = (request: ModelRequest): Reply => {
    current = toolOutputs(request).length
    return steps[current] ?? message('fine')
  }
  const onApproval = () => {
    asked.add(current)
    return 'deny' as const
  }
  const scratch = await makeWorkspace()
  onTestFinished(() => scratch.remove())
  const at = (name: string) => path.join(scratch.path, name)
  for (const name of [
    'ws',
    'docs',
    'docs-sibling',
    'out',
    'out-sibling',
    'else',
    'other',
    'data/drawbridge',
    'ssh',
    'marks',
  ])
    mkdirSync(at(name), { recursive: true })
  const env = { ...process.env, XDG_DATA_HOME: at('data'), PLANTED_TOKEN: CANARY }
  const { codex, model, home } = await openHeld(script, { env, protect: [at('ssh'), at('data')], onApproval })
  const ports = [
    await listen(
      createServer((_, reply) => reply.end(CANARY)),
      0,
    ),
    await listen(
      createServer((_, reply) => reply.end(CANARY)),
      0,
    ),
  ]
  const victim = spawn('sleep', ['600'], { stdio: 'ignore' })
  victim.on('exit', () => existsSync(at('marks')) && writeFileSync(at('marks/victim-gone'), ''))
  onTestFinished(async () => {
    victim.kill('SIGKILL')
    if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit')
  })
  const mark = path.basename(scratch.path)
  onTestFinished(() => SHARED.forEach((folder) => void rmSync(`${folder}/${mark}`, { force: true })))
  const names: Readonly<Record<string, string>> = {
    ...{ WS: at('ws'), DOCS: at('docs'), OUT: at('out'), ELSE: at('else'), OTHER: at('other') },
    ...{ DATA: at('data'), SSH: at('ssh'), MARKS: at('marks'), MARK: mark, CANARY, CODEX_HOME: home.path },
    ...{
      CODEX: String(codex.pid),
      VICTIM: String(victim.pid),
      PORT: String(ports[0]),
      PORT2: String(ports[1]),
    },
  }
  const filled = (text: string) =>
    text.replace(/\$([A-Z_0-9]+)/g, (whole, name: string) => names[name] ?? whole)
  return {
    allow: [
      { path: at('docs'), access: 'ro' },
      { path: at('out'), access: 'rw' },
    ],
    attempt: async (rows, thread) => {
      asked.clear()
      await prepare(rows, { at, filled })
      steps = stepsOf(rows, filled)
      const opened = await codex.startThread({ cwd: at('ws'), approvalPolicy: 'on-request', ...thread })
      const turn = await opened.startTurn('go', { timeoutMs: TURN_MS })
      expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'fine' })
      const request = model.requests.findLast(({ threadId }) => threadId === opened.id)!
      const told = toolOutputs(request).map(({ text }) => text)
      expect(told).toHaveLength(steps.length)
      const hasTold = (index: number) => told.some((text) => text.includes(`GOT-${index}-END`))
      return rows.map(({ file }, index) => ({
        hasWorked: file === undefined ? hasTold(index) : existsSync(filled(file)),
        // One step for each row where rows are asked about.
        wasAsked: asked.has(index),
      }))
    },
  }
}

/** A codex with a login, started with what is protected: only what is there then is. */
async function openHeld(
  script: ModelScript,
  {
    env,
    protect,
    onApproval,
  }: {
    readonly env: NodeJS.ProcessEnv
    readonly protect: readonly string[]
    readonly onApproval: () => 'deny'
  },
) {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const home = await makeCodexHome(model)
  onTestFinished(() => home.remove())
  writeFileSync(path.join(home.path, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: CANARY }))
  const registryDir = path.join(home.path, 'app-servers')
  const host = localHost({ codexHome: home.path, registryDir, env, passEnv: ['PLANTED_TOKEN'], protect })
  const codex = await openCodex(host, { experimental: true, onApproval })
  onTestFinished(() => codex.close())
  return { codex, model, home }
}

/** What is read from is put back, what would be written is taken away. */
async function prepare(
  rows: readonly Attempt[],
  { at, filled }: { at: (name: string) => string; filled: (text: string) => string },
): Promise<void> {
  for (const name of ['ws', 'docs', 'docs-sibling', 'out', 'out-sibling', 'else', 'other']) {
    rmSync(at(name), { recursive: true, force: true })
    mkdirSync(at(name))
    writeFileSync(path.join(at(name), 'secret'), CANARY)
  }
  for (const folder of SHARED) rmSync(filled(`${folder}/$MARK`), { force: true })
  writeFileSync(at('else/hard'), CANARY)
  for (const name of ['data', 'ssh']) writeFileSync(at(`${name}/secret`), CANARY)
  execFileSync('git', ['init', '--quiet', at('ws')])
  await listen(
    createSocket((socket) => socket.end(CANARY)),
    at('out/socket'),
  )
  await listen(
    createServer((_, reply) => reply.end(CANARY)),
    at('out/http'),
  )
  for (const { prepare: command } of rows) if (command) execFileSync('sh', ['-c', filled(command)])
}

/** One command for all first steps and one for all second ones; what goes to the network, and each patch, has its own. */
function stepsOf(rows: readonly Attempt[], filled: (text: string) => string): Reply[] {
  if (rows.every(({ file, command }) => file !== undefined && command === 'patch'))
    return rows.map(({ file }) =>
      applyPatch(`*** Begin Patch\n*** Add File: ${filled(file!)}\n+${CANARY}\n*** End Patch`),
    )
  const guarded = (command: string, index: number) =>
    `( ${filled(command)} ) 2>/dev/null </dev/null | grep -qF ${CANARY} && echo GOT-${index}-END`
  const first = rows.map(({ command }, index) => guarded(command, index))
  const second = rows.flatMap(({ afterwards }, index) =>
    afterwards === undefined ? [] : [guarded(afterwards, index)],
  )
  const isNetwork = rows.every(({ command }) => command.startsWith('curl'))
  const all = [
    [...first, 'true'],
    [...second, 'true'],
  ].map((lines) => lines.join('\n'))
  return (isNetwork ? first.map((step) => `${step}; true`) : all).map((step) => shell(step))
}

async function listen(
  server: Server | ReturnType<typeof createSocket>,
  place: string | number,
): Promise<number> {
  if (typeof place === 'number') server.listen(place, '127.0.0.1')
  else server.listen(place)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
