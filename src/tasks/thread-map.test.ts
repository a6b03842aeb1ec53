import { expect, it } from 'vitest'
import { ThreadMap } from './thread-map.ts'

it('keeps what comes for an unknown thread, in order, until it is placed', () => {
  const map = new ThreadMap<number>()
  map.keep('t1', 1)
  map.keep('t2', 2)
  map.keep('t1', 3)
  expect([map.hasUnknown, [...map.unknownThreads()]]).toEqual([true, ['t1', 't2']])
  expect(map.place('t1', 'task-1')).toEqual([1, 3])
  expect(map.place('t1', 'task-1')).toEqual([])
  expect([map.taskOf('t1'), map.taskOf('t2'), [...map.unknownThreads()]]).toEqual([
    'task-1',
    undefined,
    ['t2'],
  ])
})

it('lets several threads belong to one task, and forgets them with it', () => {
  const map = new ThreadMap<number>()
  map.place('t1', 'task-1')
  map.place('sub', 'task-1')
  map.place('t2', 'task-2')
  map.forgetTask('task-1')
  expect(['t1', 'sub', 't2'].map((thread) => map.taskOf(thread))).toEqual([undefined, undefined, 'task-2'])
})

it('is bounded: the newest unknown threads are kept, and the beginning of each', () => {
  const map = new ThreadMap<number>()
  for (let thread = 0; thread < 100; thread++) map.keep(`t${thread}`, thread)
  expect([...map.unknownThreads()]).toHaveLength(64)
  expect(map.place('t99', 'task')).toEqual([99])
  for (let count = 0; count < 1_000; count++) map.keep('busy', count)
  const kept = map.place('busy', 'task')
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([512, 0, 511])
})
