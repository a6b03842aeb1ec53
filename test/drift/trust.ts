// The trust boundary on the real codex: what a hostile repository gets started, written, read and approved.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandQuestion, Question, ThreadPolicy } from '../../src/codex/index.ts'
import { type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { AGENTS_WORDS, HOME_WITH_ROOTS, hostileRepo } from '../support/hostile-repo.ts'
import { mcpServer } from '../support/mcp-server.ts'
import type { Subject } from './conformance.ts'
import { runTurn } from './run-turn.ts'

const LOGIN = 'a-login-that-nobody-reads'
const WRITABLE = { sandbox: 'workspace-write' } as const

export function trustConforms({ expected, open }: Subject): void {
  /** A hostile repository, a home with a login, and a model that runs whatever `run` says. */
  async function stage() {
    const repo = await hostileRepo()
    let command = 'true'
    let escalate: string | undefined
    const script = (request: ModelRequest) =>
      toolOutputs(request).some(({ callId }) => callId === lastCall(request))
        ? message('done')
        : shell(command, escalate === undefined ? {} : { escalate })
    const questions: Question[] = []
    const opened = await open(script, {
      home: HOME_WITH_ROOTS,
      client: {
        experimental: true,
        onApproval: (question) => {
          questions.push(question)
          return 'once'
        },
      },
      host: { extraEnv: { A_SECRET_TOKEN: 'hidden', PLAIN: 'shown' } },
    })
    const home = opened.home.path
    writeFileSync(path.join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: LOGIN }))
    // The login was not there when codex started.
    await opened.codex.close()
    const config = () => readFileSync(path.join(home, 'config.toml'), 'utf8')
    const before = config()
    return {
      ...opened,
      repo,
      questions,
      home,
      isUnchanged: () => config() === before,
      /** What the model is told of a command that runs in a turn of this thread. */
      async run(thread: Parameters<typeof runTurn>[0], text: string, justification?: string) {
        command = text
        escalate = justification
        const { outcome } = await runTurn(thread, 'go')
        expect(outcome.status).toBe('completed')
        return toolOutputs(opened.model.requests.at(-1)!).at(-1)?.text ?? ''
      },
    }
  }

  describe('an untrusted folder', () => {
    it('gets nothing started and nothing written, by whatever way it is reached', async () => {
      const { repo, open: start, run, isUnchanged, model } = await stage()
      const codex = await start()
      for (const [way, cwd] of Object.entries(repo.ways)) {
        const thread = await codex.startThread({ cwd, ...WRITABLE })
        await run(thread, 'touch made')
        expect([way, existsSync(path.join(cwd, 'made'))]).toEqual([way, true])
        rmSync(path.join(cwd, 'made'))
        expect([way, repo.started(), isUnchanged()]).toEqual([way, [], true])
        const isRead = JSON.stringify(model.requests.at(-1)?.body).includes(AGENTS_WORDS)
        // In a sub-folder that may be written to, 0.166 leaves out what is above it, trusted or not.
        if (way !== 'subFolder') expect([way, isRead]).toEqual([way, true])
      }
    })

    it('cannot pass for a trusted repository by its .git', async () => {
      const { repo, open: start, run, home } = await stage()
      const config = path.join(home, 'config.toml')
      writeFileSync(
        config,
        `${readFileSync(config, 'utf8')}\n[projects.${JSON.stringify(repo.root)}]\ntrust_level = "trusted"\n`,
      )
      const forged = await hostileRepo()
      rmSync(path.join(forged.root, '.git'), { recursive: true })
      const gitFolder = path.join(repo.root, '.git', 'worktrees', 'worktree')
      writeFileSync(path.join(forged.root, '.git'), `gitdir: ${gitFolder}\n`)
      const codex = await start()
      const thread = await codex.startThread({ cwd: forged.root, ...WRITABLE, distrusted: forged.root })
      await run(thread, 'touch made')
      expect([forged.started(), existsSync(path.join(forged.root, 'made'))]).toEqual([[], true])
    })

    it('has commands that see neither logins nor secrets of the environment', async () => {
      const { repo, open: start, run, home } = await stage()
      const thread = await (await start()).startThread({ cwd: repo.root, ...WRITABLE })
      const told = await run(thread, `cat ${home}/auth.json; env; cat /proc/*/environ 2>/dev/null; true`)
      expect(told.includes(LOGIN)).toBe(!expected.protectsLogins)
      expect(told).toContain('PLAIN=shown')
      expect(told).not.toContain('A_SECRET_TOKEN')
    })

    it('approves exactly what the question says', async () => {
      const { repo, open: start, run, home, model, questions } = await stage()
      const thread = await (await start()).startThread({ cwd: repo.root, ...WRITABLE })
      const told = await run(
        thread,
        `touch ${home}/outside && echo written; curl -so /dev/null -m 5 ${model.url} && echo network; grep -q ${LOGIN} ${home}/auth.json && echo login; true`,
        'to show',
      )
      const reached = ['written', 'network', 'login'].filter((word) => told.includes(word)).join(' ')
      expect(reached).toBe(expected.approvedReaches)
      expect((questions[0] as CommandQuestion).escalation).toEqual({
        network: reached.includes('network'),
        protectedFiles: reached.includes('login'),
      })
    })

    it('loses nothing on a cold resume and on a fork', async () => {
      const { repo, open: start, run, home, model, isUnchanged } = await stage()
      const server = mcpServer()
      const asker = { command: process.execPath, args: [path.resolve('test/fixtures/mcp-server.mjs')] }
      const policy: ThreadPolicy = { ...WRITABLE, config: { mcp_servers: { asker } } }
      const first = await start()
      const thread = await first.startThread({ cwd: repo.root, ...policy })
      const attempt = `touch made && echo made; cat ${home}/auth.json; true`
      const check = (told: string) => {
        expect(told).toContain('made')
        expect(told.includes(LOGIN)).toBe(!expected.protectsLogins)
        expect([repo.started(), isUnchanged(), server.runs()]).toEqual([[], true, 0])
      }
      check(await run(thread, attempt))
      await first.close()
      const second = await start()
      const resumed = await second.resumeThread(thread.id, { cwd: repo.root, ...thread.policy })
      check(await run(resumed, attempt))
      expect(offersAsker(model.requests)).toBe(true)
      const fork = await second.forkThread(thread.id, { cwd: repo.root, ...thread.policy })
      check(await run(fork, attempt))
      expect(offersAsker(model.requests)).toBe(true)
    })

    it('reaches the network from inside the sandbox only where logins are protected', async () => {
      const { repo, open: start, run, home, model } = await stage()
      const opening = (await start()).startThread({ cwd: repo.root, ...WRITABLE, network: true })
      // A command with network could read Drawbridge's own token.
      if (!expected.protectsLogins)
        return void (await expect(opening).rejects.toThrow('needs a trusted folder'))
      const told = await run(
        await opening,
        `curl -so /dev/null -m 5 ${model.url} && echo network; cat ${home}/auth.json; true`,
      )
      expect([told.includes('network'), told.includes(LOGIN)]).toEqual([true, false])
    })

    it('is not given full access, nor a profile that is not ours', async () => {
      const { repo, open: start } = await stage()
      const codex = await start()
      const full = codex.startThread({ cwd: repo.root, sandbox: 'danger-full-access' })
      await expect(full).rejects.toMatchObject({ code: 'folder-untrusted' })
      const thread = await codex.startThread({ cwd: repo.root })
      const turn = thread.startTurn('go', { sandboxPolicy: { type: 'dangerFullAccess' } })
      await expect(turn).rejects.toMatchObject({ code: 'folder-untrusted' })
    })
  })

  describe('a trusted folder', () => {
    it('gets started what it names, without anything being written down', async () => {
      const { repo, open: start, run, isUnchanged } = await stage()
      const codex = await start()
      for (const [way, cwd] of Object.entries(repo.ways)) {
        const thread = await codex.startThread({ cwd, ...WRITABLE, trustedRoot: repo.root })
        await run(thread, 'true')
        const started = expected.runsRepoHooks ? ['mcp', 'hook'] : ['mcp']
        expect([way, repo.started(), isUnchanged()]).toEqual([way, started, true])
      }
    })

    it('approves everything, as codex does by itself', async () => {
      const { repo, open: start, run, home, model } = await stage()
      const thread = await (await start()).startThread({
        cwd: repo.root,
        ...WRITABLE,
        trustedRoot: repo.root,
      })
      const told = await run(
        thread,
        `touch ${home}/outside && echo written; curl -so /dev/null -m 5 ${model.url} && echo network; true`,
        'to show',
      )
      expect(['written', 'network'].filter((word) => told.includes(word))).toEqual(['written', 'network'])
    })
  })
}

/** The id of the newest tool call that the model has heard of, if that is the last thing it heard. */
function lastCall({ body }: ModelRequest): string | undefined {
  return (body.input?.at(-1) as { call_id?: string } | undefined)?.call_id
}

function offersAsker(requests: readonly ModelRequest[]): boolean {
  return JSON.stringify(requests.at(-1)?.body.tools ?? []).includes('asker')
}
