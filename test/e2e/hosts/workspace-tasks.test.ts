// Tasks in worktrees and other workspaces on a host, in both modes, on the real codex: from the start to the branch they came from.
import { expect, it, onTestFinished } from 'vitest'
import { saysWhatItRan } from '../../support/ssh/says-what-it-ran.ts'
import { serveHosts } from '../../support/ssh/served-hosts.ts'

const MODES = ['exec', 'remote'] as const

const SHOP = `
set -e
mkdir -p "$1" && cd "$1"
git init -q -b main
git config user.name Ada && git config user.email ada@example.com
echo one > a.txt && git add . && git commit -qm Begin
`

it('work in a worktree on a host comes to its branch, over a restart of the service and a fork', async () => {
  const hosts = await serveHosts(saysWhatItRan)
  onTestFinished(hosts.close)
  const { machine } = hosts
  const sh = async (script: string, ...args: string[]) =>
    (await machine.run('sh', '-c', script, 'sh', ...args)).trim()
  const writing = { policy: { sandbox: 'workspace-write' }, preset: 'workspace', keepOpen: true } as const
  const onOne = async (mode: (typeof MODES)[number]) => {
    const { tasks } = hosts.client()
    const repo = `${machine.home}/shop-${mode}`
    await sh(SHOP, repo)
    const records = `${machine.home}/.local/state/drawbridge`
    const prompt = `echo ${mode} > b.txt; pwd; ls ${records}; cat ${records}/*/*/*/*/HEAD`
    const started = await hosts.start(mode, prompt, {
      cwd: repo,
      workspace: { kind: 'worktree' },
      ...writing,
    })
    const task = await tasks.wait(started.id)
    expect(task, task.reason).toMatchObject({ status: 'idle', host: mode, workspace: { source: repo } })
    expect(task.result!.text).toContain(task.cwd)
    // What Drawbridge knows of the workspace is there, and commands cannot read it.
    expect(await sh('cat "$1"/*/*/*/*/HEAD', records)).toContain('ref: refs')
    expect(task.result!.text).not.toContain('ref: refs')
    expect(await sh('ls "$1"', repo)).toBe('a.txt')
    return { mode, repo, task }
  }
  const begun = await Promise.all(MODES.map(onOne))
  await hosts.kill()
  await hosts.serve()
  const client = hosts.client()
  for (const { mode, repo, task } of begun) {
    const { tasks, workspaces } = client
    expect((await workspaces.work(task.id)).uncommitted).toMatchObject([{ path: 'b.txt', change: 'added' }])
    await tasks.send(task.id, { input: 'echo second > c.txt' })
    expect(await tasks.wait(task.id)).toMatchObject({ status: 'idle', turnCount: 2 })
    const turn = await workspaces.diff(task.id, { turn: 2 })
    expect(turn.patch).toContain('+second')
    expect(turn.patch).not.toContain(`+${mode}`)
    const fork = await tasks.fork(task.id, { prompt: 'cat b.txt c.txt; echo forked > d.txt' })
    const forked = await tasks.wait(fork.id)
    expect(forked, forked.reason).toMatchObject({ status: 'idle', host: mode })
    expect(forked.result!.text).toContain('second')
    await workspaces.commit(task.id, { message: 'The work' })
    expect(await workspaces.apply(task.id, { method: 'merge' })).toMatchObject({
      branch: 'main',
      checkout: repo,
    })
    expect(await sh('cat "$1"/b.txt "$1"/c.txt', repo)).toBe(`${mode}\nsecond`)
    const [mine] = (await workspaces.list()).filter(({ id }) => id === forked.workspace!.id)
    expect(mine).toMatchObject({ host: mode, uncommitted: 3, problem: null })
    await expect(workspaces.discard(fork.id)).rejects.toMatchObject({ code: 'workspace-unmerged' })
    await workspaces.discard(fork.id, { confirm: mine!.id })
    await workspaces.discard(task.id)
    expect(await sh('git -C "$1" branch --list; git -C "$1" worktree list | wc -l', repo)).toBe('* main\n1')
  }
}, 120_000)
