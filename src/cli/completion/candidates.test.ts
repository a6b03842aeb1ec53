import { Argument, Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { complete } from './candidates.ts'

const program = new Command('drawbridge')
const task = program.command('task').summary('tasks')
task.command('show').argument('<task>').option('--json', 'print JSON')
task
  .command('list')
  .alias('ls')
  .addOption(new Option('--status <status>').choices(['idle', 'failed']))
  .option('--task <task>')
  .option('--on <worker>')
program.command('workers').command('drain').argument('<worker>')
program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
program.command('__complete', { hidden: true })

const values = (...words: string[]) => complete(program, words).candidates.map(({ value }) => value)

describe('what can come next', () => {
  it('is a command, with what it does', () => {
    expect(complete(program, ['t']).candidates).toEqual([{ value: 'task', description: 'tasks' }])
    expect(values('')).toEqual(['task', 'workers', 'completion'])
    expect(values('task', '')).toEqual(['show', 'list'])
  })

  it('is a command below the one that help is asked for, and nothing else', () => {
    expect(values('help', 't')).toEqual(['task'])
    expect(values('help', 'task', '')).toEqual(['show', 'list'])
    expect(complete(program, ['help', 'task', 'show', ''])).toEqual({ candidates: [], ids: null })
    expect(values('help', 'task', '--')).toEqual([])
  })

  it('is an option of the command that was named, also by its alias', () => {
    expect(values('task', 'show', '--')).toEqual(['--json', '--help'])
    expect(values('task', 'ls', '--s')).toEqual(['--status'])
  })

  it('is one of the choices of an option or an argument', () => {
    expect(values('task', 'list', '--status', '')).toEqual(['idle', 'failed'])
    expect(values('completion', 'z')).toEqual(['zsh'])
  })

  it('is an id, where one is asked for', () => {
    expect(complete(program, ['task', 'show', ''])).toEqual({ candidates: [], ids: 'task' })
    expect(complete(program, ['task', 'show', '--json', ''])).toMatchObject({ ids: 'task' })
    expect(complete(program, ['task', 'list', '--task', ''])).toMatchObject({ ids: 'task' })
    expect(complete(program, ['task', 'show', 'x', ''])).toMatchObject({ ids: null })
  })

  it('is a worker, or a label of workers, where a task may run on one', () => {
    expect(complete(program, ['workers', 'drain', ''])).toMatchObject({ ids: 'worker' })
    expect(complete(program, ['task', 'list', '--on', ''])).toMatchObject({ ids: 'place' })
  })
})
