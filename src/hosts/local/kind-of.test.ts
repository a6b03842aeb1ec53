import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { kindFrom, kindOf } from './kind-of.ts'

const { scratchFolder } = scratch(onTestFinished)

it('tells what is at a path, and nothing where it would have to guess', () => {
  const folder = scratchFolder()
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  expect(
    [folder, file, `${file}/x`, `${folder}/gone`, '/dev/null', 'relative', `${folder}/\0`].map(kindOf),
  ).toEqual(['folder', 'file', 'missing', 'missing', 'other', null, null])
  expect(['file', 'gone', '.', folder].map(kindFrom(folder))).toEqual(['file', 'missing', 'folder', 'folder'])
})
