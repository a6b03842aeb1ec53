// Files given to a task and taken from it at the command line, on the real codex: its sandbox reads what was uploaded and
// writes none of it, and the model is told once.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  type AddedToken,
  connect,
  type FileList,
  type Task,
  type TaskDetail,
  type Upload,
} from '../../../src/api/index.ts'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { makeGitRepo } from '../../support/git-repo.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** Reads the file that it was told of, tries to change it, and says what it has read. */
function script(request: ModelRequest) {
  const text = lastUserText(request)
  const [file] = /"[^"]+data[^"]*\.csv"/.exec(text) ?? []
  const outputs = toolOutputs(request)
  if (file === undefined) return message(`not told: ${text}`)
  const place = JSON.parse(file) as string
  if (outputs.length === 0)
    return shell(`cat '${place}'; echo more >> '${place}'; echo tried; echo made > made.txt`)
  return message(`read: ${JSON.stringify(outputs[0])}`)
}

it('a file is uploaded, read in the sandbox, and what was made of it is downloaded', async () => {
  const stage = await serviceStage(script)
  const { cli, json, cwd, dataDir } = stage
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(path.join(dataDir, 'settings.json'), '{"uploads": {"maxFileBytes": 1000000}}')
  const repo = makeGitRepo(path.join(cwd, 'shop'), { 'a.txt': 'one\n' })
  const writing = [
    '--sandbox',
    'workspace-write',
    '--approve',
    'workspace',
    '--wait',
    '--json',
    '--cwd',
    repo.path,
  ]
  await cli(['task', 'start', ...writing, 'hello'])
  const [task] = await json<Task[]>('task', 'list')
  const id = task!.id
  mkdirSync(path.join(cwd, 'here'))
  writeFileSync(path.join(cwd, 'here', 'data ü.csv'), 'a,b\n1,42\n')
  const [upload] = await json<Upload[]>('task', 'upload', id, 'here/data ü.csv')
  expect(upload).toMatchObject({ name: 'data ü.csv', bytes: 9, type: 'text/csv', isTold: false })
  expect(upload!.path).toBe(path.join(`${dataDir}-uploads`, id, 'data ü.csv'))
  // Nothing of the repository has changed.
  expect(repo.git('status', '--porcelain')).toBe('')

  // A sparse file: the service says no long before all of it has come.
  writeFileSync(path.join(cwd, 'here', 'large'), '')
  truncateSync(path.join(cwd, 'here', 'large'), 90_000_000)
  const large = await cli(['task', 'upload', id, 'here/large'])
  expect(large).toMatchObject({ code: 1, stderr: expect.stringContaining('large is too large') })
  expect(await cli(['task', 'send', id, '--wait', 'look at it'])).toMatchObject({ code: 0 })
  const answer = async () => (await json<TaskDetail>('task', 'show', id)).task.result!.text
  expect(await answer()).toMatch(/1,42[\s\S]*tried/)
  expect(readFileSync(upload!.path, 'utf8')).toBe('a,b\n1,42\n')
  await cli(['task', 'send', id, '--wait', 'and now?'])
  expect(await answer()).toBe('not told: and now?')

  const listing = await cli(['task', 'files', id])
  expect(listing.stdout).toMatch(/ {2}\.git\/\n +4 {2}a\.txt\n +5 {2}made\.txt\n$/)
  const { entries } = await json<FileList>('task', 'files', id, '--uploads')
  expect(entries).toMatchObject([{ name: 'data ü.csv', kind: 'file', bytes: 9 }])
  expect(await cli(['task', 'download', id, 'made.txt'])).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe('made\n')
  const again = await cli(['task', 'download', id, 'made.txt'])
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('made.txt is there already') })
  expect(await cli(['task', 'download', id, 'data ü.csv', '--uploads', '-o', '-'])).toMatchObject({
    stdout: 'a,b\n1,42\n',
  })

  symlinkSync(path.join(dataDir, 'token'), path.join(repo.path, 'token'))
  for (const name of ['token', '../here/data ü.csv', 'none'])
    expect(await cli(['task', 'download', id, name, '-o', 'stolen'])).toMatchObject({ code: 1 })
  expect(readdirSync(cwd).filter((name) => name.startsWith('stolen'))).toEqual([])
  // A token sees the task, and has no business in its files.
  const { secret } = await json<AddedToken>('token', 'add', 'ci', '--tasks', 'all')
  const token = connect({ url: stage.record().url, token: secret })
  await expect(token.tasks.get(id)).resolves.toMatchObject({ id })
  const read = token.files.download(id, { path: 'a.txt' })
  await expect(read).rejects.toMatchObject({ status: 403, code: 'not-permitted' })

  // Its files go with it.
  expect(await cli(['task', 'rm', id])).toMatchObject({ code: 0 })
  expect(existsSync(path.dirname(upload!.path))).toBe(false)
}, 120_000)
