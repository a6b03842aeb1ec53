// The service is killed while hooks run: nothing of them is left, nothing runs twice unasked, and the log says what is not known.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import type { EventEnvelope, Task } from '../../src/api/index.ts'
import { message } from '../../src/testing/index.ts'
import { serviceStage } from '../support/service-stage.ts'
import { eventually, processesTagged } from './processes.ts'

const lines = (file: string) => readFileSync(file, 'utf8').trim().split('\n').length

it('hooks of the settings are on record before they run, and a kill makes none run twice unasked', async () => {
  const stage = await serviceStage(() => message('done'))
  const { cli, cwd, dataDir, start, record, tag } = stage
  const at = (name: string) => path.join(cwd, name)
  // The first attempt leaves its session and does not end.
  const slow = (name: string) =>
    `echo x >> ${name}; test $(wc -l < ${name}) -gt 1 || { (setsid sleep 4173 &); sleep 4172; }`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const hooks = {
    again: { on: 'before', command: slow('again'), labels: ['again'], repeatable: true },
    once: { on: 'before', command: slow('once'), labels: ['once'] },
    'go-on': { on: 'before', command: slow('go-on'), labels: ['go-on'], onFailure: 'go on' },
    end: { on: 'after', command: slow('end'), labels: ['end'], timeoutMs: 60_000 },
    prepare: {
      on: 'before',
      command: 'pwd >> $OUT/prepared; echo x > made',
      labels: ['scratch'],
      passEnv: ['OUT'],
    },
    tidy: { on: 'after', command: 'cat made >> $OUT/tidied', labels: ['scratch'], passEnv: ['OUT'] },
    uploaded: { on: 'onUpload', command: 'cat "$DRAWBRIDGE_UPLOAD_PATHS" > $OUT/uploaded', passEnv: ['OUT'] },
    module: { on: 'after', module: 'tell.mjs', labels: ['end'], passEnv: ['GIVEN_TOKEN'] },
  }
  writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify({ hooks }))
  writeFileSync(
    path.join(dataDir, 'tell.mjs'),
    'export default ({ task: { title, status } }) => console.log(title, "is", status, process.env.GIVEN_TOKEN)\n',
  )
  stage.env.OUT = dataDir
  stage.env.GIVEN_TOKEN = 'a-token-that-is-passed'
  const names = ['again', 'once', 'go-on', 'end'] as const
  const tasks: Record<string, Task> = {}
  for (const name of names) tasks[name] = await start('go', '--label', name)
  for (const name of names) await eventually(() => existsSync(at(name)), `${name} runs`, 30_000)
  const sleeping = () => processesTagged(tag).filter((line) => /^\d+ sleep 417/.test(line)).length
  await eventually(
    () => sleeping() === 8,
    () => `${sleeping()} sleep`,
  )
  const { pid } = record()
  process.kill(pid, 'SIGKILL')
  await eventually(() => !existsSync(`/proc/${pid}`), 'the service is gone')

  const wait = async (name: string) => {
    await cli(['task', 'wait', tasks[name]!.id])
    return (await stage.json<{ task: Task }>('task', 'show', tasks[name]!.id)).task
  }
  expect(await wait('again')).toMatchObject({ status: 'completed' })
  expect(await wait('go-on')).toMatchObject({ status: 'completed' })
  const failed = await wait('once')
  expect(failed).toMatchObject({ status: 'failed' })
  expect(failed.reason).toContain('nobody knows whether the hook once finished')
  expect(await wait('end')).toMatchObject({ status: 'completed' })
  await eventually(
    () => sleeping() === 0,
    () => `${sleeping()} sleep`,
  )
  const log = async (name: string) => {
    const events = (await cli(['task', 'logs', tasks[name]!.id, '--json'])).stdout
    return events
      .split('\n')
      .filter((line) => line.includes('drawbridge/hook'))
      .map((line) => JSON.parse(line) as EventEnvelope)
  }
  await expect
    .poll(async () => JSON.stringify(await log('end')), { timeout: 20_000 })
    .toContain('go is completed')
  expect(JSON.stringify(await log('end'))).toContain('unknown')
  expect(JSON.stringify(await log('end'))).not.toContain('a-token-that-is-passed')
  expect(names.map((name) => lines(at(name)))).toEqual([2, 1, 1, 1])

  // A scratch folder is there until its hooks are done, and is prepared again when it is made again.
  const scratch = await start('go', '--label', 'scratch', '--workspace', 'scratch')
  const kept = (name: string) => path.join(dataDir, name)
  const has = (name: string, count: number) => () => existsSync(kept(name)) && lines(kept(name)) === count
  await eventually(has('tidied', 1), 'the task was tidied up')
  await eventually(() => !existsSync(scratch.cwd), 'the folder is gone')
  expect(await cli(['task', 'send', scratch.id, '--wait', 'more'])).toMatchObject({ code: 0 })
  await eventually(has('tidied', 2), 'it was tidied up again')
  expect(readFileSync(kept('prepared'), 'utf8')).toBe(`${scratch.cwd}\n${scratch.cwd}\n`)

  writeFileSync(at('numbers.csv'), 'one,two\n')
  expect(await cli(['task', 'upload', tasks.again!.id, at('numbers.csv')])).toMatchObject({ code: 0 })
  await eventually(has('uploaded', 1), 'the upload was told')

  // What stands in the settings is checked, and listed without being run.
  const doctor = await cli(['doctor', '--json'])
  expect(doctor.stdout).toContain('the hook module runs when a task ends, outside of the sandbox')
}, 120_000)
