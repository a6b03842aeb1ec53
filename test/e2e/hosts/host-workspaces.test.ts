// Workspaces on a machine behind a real sshd, in all that is done with them. The tasks are rows that nobody runs.
import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type SshHost, sshHost } from '../../../src/hosts/ssh/index.ts'
import { openDatabase } from '../../../src/store/index.ts'
import { openRoom, type Room } from '../../../src/workspaces/fixtures/room.ts'
import { configFor, specOf } from '../../support/ssh/open-host.ts'
import { openSshStage, type SshStage } from '../../support/ssh/open-ssh-stage.ts'

const SHOP = `
set -e
mkdir "$1" && cd "$1"
git init -q -b main
git config user.name Ada && git config user.email ada@example.com
echo one > a.txt && echo bee > b.txt && echo '*.log' > .gitignore
git add . && git commit -qm begin
`

let stage: SshStage
let folder: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'drawbridge-test-')))
  stage = await openSshStage()
})

afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const sh = async (script: string, ...args: string[]) =>
  (await stage.run('sh', '-c', script, 'sh', ...args)).trim()

const PROGRAM = fileURLToPath(new URL('../../../src/workspaces/fixtures/die-at.ts', import.meta.url))

/** Another service on the same data folder is killed at a step of an act. */
async function dieAt(name: string, [taskId, act, step]: readonly [string, string, string]) {
  const dataDir = path.join(folder, name)
  const there = JSON.stringify({ spec: specOf(stage), configFile: configFor(stage, dataDir, true) })
  const died = promisify(execFile)(process.execPath, [PROGRAM, dataDir, taskId, act, step, there])
  await expect(died).rejects.toMatchObject({ signal: 'SIGKILL' })
}

/** A room as a service has it, with a repository of the user's on the host. */
async function openStage(name: string, atStep?: (step: string) => void | Promise<void>) {
  const dataDir = path.join(folder, name)
  const store = await openDatabase({ dataDir, now: Date.now })
  const times = { retryBaseMs: 50, retryMaxMs: 200, aliveSeconds: 1, connectMs: 5_000, breakAfter: 1000 }
  const configFile = configFor(stage, dataDir, true)
  const parts = { dataDir, env: process.env, now: Date.now, random: Math.random, configFile, times }
  const host: SshHost = sshHost(specOf(stage), parts)
  const room = openRoom(store, { dataDir, machineOf: async () => host.machine, ...(atStep && { atStep }) })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await room.workspaces.close()
    await host.close()
    await store.close()
  }
  onTestFinished(close)
  const repo = `${stage.home}/${name}`
  if ((await sh('ls ~')).split('\n').includes(name) === false) await sh(SHOP, repo)
  return { room, repo, host, close, git: (...args: string[]) => stage.run('git', '-C', repo, ...args) }
}

const there = { host: 'far' }

async function commitAndApply(room: Room, id: string, method: 'merge' | 'rebase' | 'patch') {
  if (method !== 'patch') await room.workspaces.commit(id, { message: 'the work' })
  return room.workspaces.apply(id, { method })
}

describe('a workspace on a host', () => {
  it('is a worktree there: compared, committed, merged, forked and removed', async () => {
    const { room, repo, git } = await openStage('shop')
    const { workspaces } = room
    const task = await room.start({ kind: 'worktree' }, repo, there)
    expect(task.cwd).toMatch(new RegExp(`^${stage.home}/.local/state/drawbridge-workspaces/shop-`))
    await sh('cd "$1"; echo two > a.txt; echo new > "$2"; mkdir x; echo x > x/x.log', task.cwd, `-n"w\n`)
    const { work, target } = await workspaces.show(task.id)
    expect(work.uncommitted.map((file) => [file.path, file.change])).toEqual([
      ['-n"w\n', 'added'],
      ['a.txt', 'modified'],
      ['x/', 'ignored'],
      ['x/x.log', 'ignored'],
    ])
    expect(target).toEqual({ branch: 'main', checkout: repo })
    expect((await workspaces.diff(task.id, {})).text).toContain('-one\n+two')
    const { id } = JSON.parse(task.workspace!)
    await expect(workspaces.remove(id, {})).rejects.toMatchObject({ code: 'workspace-unmerged' })
    const fork = await room.fork(task)
    expect(await sh('cat "$1"/a.txt; cat "$1"/-*', fork.cwd)).toBe('two\nnew')
    await sh('echo "not committed" > "$1"/b.txt', repo)
    expect(await commitAndApply(room, task.id, 'merge')).toMatchObject({ branch: 'main', checkout: repo })
    expect(await sh('cat "$1"/a.txt; cat "$1"/b.txt', repo)).toBe('two\nnot committed')
    expect(await git('log', '-1', '--format=%an %s')).toBe('Ada the work\n')
    expect((await workspaces.list({ sizes: true })).map(({ row, problem }) => [row.host, problem])).toEqual([
      ['far', null],
      ['far', null],
    ])
    await sh('rm -r "$1"/x', task.cwd)
    await room.workspaces.remove(id, {})
    await workspaces.discard(fork.id, { confirm: JSON.parse(fork.workspace!).id })
    expect(await git('worktree', 'list')).not.toContain('drawbridge')
    expect(await git('branch', '--list', 'drawbridge/*')).toBe('')
    expect(await sh('ls -A ~/.local/state/drawbridge-workspaces')).toBe('')
  }, 120_000)

  it('is a clone or an empty folder there; conflicts change nothing', async () => {
    const { room, repo, git } = await openStage('clones')
    const { workspaces } = room
    const clone = await room.start({ kind: 'clone', source: repo }, repo, there)
    const patch = await room.start({ kind: 'clone', source: repo }, repo, there)
    await sh('echo theirs > "$1"/a.txt; echo patched > "$2"/p.txt', clone.cwd, patch.cwd)
    expect(await commitAndApply(room, patch.id, 'patch')).toMatchObject({ files: ['p.txt'], branch: null })
    expect(await git('status', '--short')).toBe('?? p.txt\n')
    await sh('cd "$1"; echo ours > a.txt; git commit -qam ours', repo)
    const conflict = commitAndApply(room, clone.id, 'rebase')
    await expect(conflict).rejects.toMatchObject({
      code: 'apply-conflict',
      details: { conflicts: ['a.txt'] },
    })
    expect(await sh('cat "$1"/a.txt', repo)).toBe('ours')
    await sh('git -C "$1" reset -q --hard HEAD~', repo)
    expect(await commitAndApply(room, clone.id, 'rebase').catch((error) => error.code)).toBe('nothing-to-do')
    expect(await workspaces.apply(clone.id, { method: 'rebase' })).toMatchObject({ branch: 'main' })
    const scratch = await room.start({ kind: 'scratch' }, repo, there)
    await sh('echo > "$1"/notes', scratch.cwd)
    workspaces.ended(scratch)
    await expect.poll(() => sh('[ -e "$1" ] || echo gone', scratch.cwd)).toBe('gone')
  }, 120_000)

  it('is not asked for what cannot be had', async () => {
    const { room, repo, host } = await openStage('refused')
    const refused = (request: Parameters<Room['add']>[0], cwd = repo) => room.add(request, cwd, there)
    await expect(refused({ kind: 'worktree', commits: true })).rejects.toThrow('use task commit')
    await expect(refused({ kind: 'worktree' }, '/tmp')).rejects.toThrow('in no git repository on far')
    const old = '#!/bin/sh\necho git version 2.20.1\n'
    await sh('mkdir ~/bin; printf %s "$1" > ~/bin/git; chmod +x ~/bin/git', old)
    writeFileSync(path.join(stage.homeHere, '.bashrc'), 'PATH=$HOME/bin:$PATH\n')
    const { room: other } = await openStage('old-git')
    await expect(other.add({ kind: 'worktree' }, repo, there)).rejects.toThrow('git 2.38 or newer on far')
    writeFileSync(path.join(stage.homeHere, '.bashrc'), '')
    await host.close()
    await expect(refused({ kind: 'worktree' })).rejects.toMatchObject({ code: 'ssh-closed' })
  })
})

describe('when the service is killed', () => {
  it('at a step of an act, the next one finishes it or takes it back', async () => {
    const { room, repo, git, close } = await openStage('killed')
    const { id, cwd, workspace } = await room.add({ kind: 'worktree' }, repo, there)
    await close()
    await dieAt('killed', [id, 'make', 'branch-made'])
    await dieAt('killed', [id, 'make', 'worktree-added'])
    const next = await openStage('killed')
    await next.room.workspaces.prepare(await next.room.task(id))
    expect(await git('worktree', 'list', '--porcelain')).toContain(`worktree ${cwd}\n`)
    await sh('echo two > "$1"/a.txt', cwd)
    await next.close()
    await dieAt('killed', [id, 'commit', 'commit-copied'])
    await dieAt('killed', [id, 'commit', 'branch-moved'])
    await dieAt('killed', [id, 'apply', 'apply-copied'])
    expect(await sh('cat "$1"/a.txt; git -C "$1" status --short', repo)).toBe('one')
    const third = await openStage('killed')
    expect(await third.room.workspaces.apply(id, { method: 'merge' })).toMatchObject({ branch: 'main' })
    expect(await sh('cat "$1"/a.txt; git -C "$1" log --format=%s', repo)).toBe('two\nthe work\nbegin')
    await third.close()
    await dieAt('killed', [id, 'remove', 'moved-away'])
    const last = await openStage('killed')
    await last.room.workspaces.open()
    await last.room.workspaces.close()
    expect(await last.room.workspaces.list({ sizes: false })).toEqual([])
    expect(await git('worktree', 'list', '--porcelain')).not.toContain(cwd)
    expect(await sh('ls -A ~/.local/state/drawbridge-workspaces')).not.toContain(JSON.parse(workspace!).id)
  }, 120_000)
})

describe('when the connection is cut', () => {
  it('at each step, every act comes to its whole end', async () => {
    const steps: string[] = []
    const { room, repo, git } = await openStage('cut', async (step) => {
      steps.push(step)
      await stage.killSessions()
    })
    const { workspaces } = room
    const task = await room.start({ kind: 'worktree' }, repo, there)
    await sh('echo two > "$1"/a.txt', task.cwd)
    await commitAndApply(room, task.id, 'merge')
    expect(await git('log', '--format=%s')).toBe('the work\nbegin\n')
    expect(await sh('cat "$1"/a.txt', repo)).toBe('two')
    await workspaces.discard(task.id, { confirm: JSON.parse(task.workspace!).id })
    expect(await git('branch', '--list')).toBe('* main\n')
    expect(new Set(steps).size).toBeGreaterThan(12)
    expect(await sh('git -C "$1" fsck --full 2>&1 | grep -v dangling || :', repo)).toBe('')
  }, 120_000)
})
