// A task in several repositories, as a user has it at the command line, on the real codex and its sandbox.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { Task, Work } from '../../../src/api/index.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { makeGitRepo } from '../../support/git-repo.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** What the model was told last of the folders that it works in. */
function rootsIn(request: ModelRequest): string[] {
  const told = JSON.stringify(request.body.input)
  const newest = told.slice(told.lastIndexOf('<workspace_roots>'))
  return [...newest.slice(0, newest.indexOf('</workspace_roots>')).matchAll(/<root>(.*?)<\/root>/g)].map(
    ([, root]) => root!,
  )
}

/** Runs the command of the newest message, with `$1`, `$2` … for the further folders, and answers with what it wrote. */
function script(request: ModelRequest) {
  const last = request.body.input?.at(-1) as { type?: string } | undefined
  if (last?.type?.endsWith('_output')) return message(toolOutputs(request).at(-1)?.text ?? '')
  const [, ...others] = rootsIn(request)
  return shell(`set -- ${others.join(' ')}; ${lastUserText(request)}`)
}

const TRY = ['$PWD', '$1', '$2']
  .map(
    (place, at) =>
      `echo x >> "${place}/made" && echo wrote-${at}; echo x >> "${place}/.git" && echo git-${at}`,
  )
  .join('; ')

it('commands write in all of them and nowhere else, over a restart and in a fork; each is taken home by itself', async () => {
  const stage = await serviceStage(script)
  const { cli, json } = stage
  const at = (name: string) => path.join(stage.cwd, name)
  const [shop, lib, tools] = ['shop', 'lib', 'tools'].map((name) => makeGitRepo(at(name), { 'a.txt': name }))
  const start = (sandbox: string, command: string) =>
    cli(
      [
        ...['task', 'start', '--wait', '--sandbox', sandbox, '--approve', 'workspace', '--keep-open'],
        ...['--workspace', 'worktree', '--also', '../lib', '--also', '../tools:try', command],
      ],
      { cwd: shop!.path },
    )
  const outside = `(mv "$1" "$1-moved" && echo moved; echo x >> ${lib!.path}/evil && echo evil; true) 2>/dev/null`
  const started = await start('workspace-write', `(${TRY}) 2>/dev/null; ${outside}`)
  expect(started).toMatchObject({ code: 0 })
  expect(said(started.stdout)).toEqual(['wrote-0', 'wrote-1', 'wrote-2'])
  const [{ id, cwd, workspace }] = (await json<Task[]>('task', 'list')) as [Task]
  const [inLib, inTools] = workspace!.parts
  expect([inLib, inTools]).toMatchObject([{ source: lib!.path }, { source: tools!.path, branch: 'try' }])
  expect((await cli(['task', 'show', id])).stdout).toContain(`also ${inLib!.folder} of ${lib!.path}`)

  await cli(['stop'])
  const again = await cli(['task', 'send', id, '--wait', `(${TRY}) 2>/dev/null`])
  expect(said(again.stdout)).toEqual(['wrote-0', 'wrote-1', 'wrote-2'])
  const forked = await cli([
    'task',
    'fork',
    id,
    '--wait',
    `(${TRY}; echo x >> ${inLib!.folder}/evil && echo evil) 2>/dev/null`,
  ])
  expect(said(forked.stdout)).toEqual(['wrote-0', 'wrote-1', 'wrote-2'])
  const [fork] = await json<Task[]>('task', 'list')
  const made = (folder: string) => readFileSync(path.join(folder, 'made'), 'utf8').length / 2
  expect([cwd, ...workspace!.parts.map(({ folder }) => folder)].map(made)).toEqual([2, 2, 2])
  expect([fork!.cwd, ...fork!.workspace!.parts.map(({ folder }) => folder)].map(made)).toEqual([3, 3, 3])

  const kept = await cli(['task', 'snapshot', id])
  expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('several repositories') })
  const stat = await json<Work[]>('task', 'diff', id, '--stat')
  expect(stat.map(({ files }) => files.map(({ path: name }) => name))).toEqual([['made'], ['made'], ['made']])
  expect((await cli(['task', 'diff', id])).stdout.match(/^# .*$/gm)).toHaveLength(3)
  const unnamed = await cli(['task', 'apply', id, '--patch'])
  expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining(inTools!.id) })
  expect(await cli(['task', 'commit', id, '--repo', 'lib', '-m', 'In lib'])).toMatchObject({ code: 0 })
  expect(await cli(['task', 'apply', id, '--repo', inLib!.id])).toMatchObject({ code: 0, stdout: 'made\n' })
  expect([shop, lib, tools].map((repo) => existsSync(path.join(repo!.path, 'made')))).toEqual([
    false,
    true,
    false,
  ])
  expect(await cli(['task', 'discard', id, '--repo', 'tools', '--confirm', inTools!.id])).toMatchObject({
    code: 0,
  })
  expect([inTools!.folder, cwd].map((folder) => existsSync(folder))).toEqual([false, true])

  const reading = await start('read-only', `(${TRY}) 2>/dev/null; true`)
  expect([reading.code, said(reading.stdout)]).toEqual([0, []])
}, 180_000)

function said(text: string): string[] {
  return text.split('\n').filter((line) => /^(wrote|git|moved|evil)/.test(line))
}
