import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isBelow, isInside } from './is-inside.ts'

function scratch(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'inside-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(path.join(folder, 'a', 'b'), { recursive: true })
  mkdirSync(path.join(folder, 'ab'))
  return folder
}

it('takes a folder, what is in it, and what is not there yet', () => {
  const at = scratch()
  const a = path.join(at, 'a')
  for (const place of [a, `${a}/`, `${a}/b`, `${a}/b/../b`, `${a}/new/deep`, `${a}/..b`])
    expect([place, isInside([a], place)]).toEqual([place, true])
  for (const place of [at, `${at}/ab`, `${a}/..`, `${a}/../ab`, `${a}/b/../../ab`, '/', ''])
    expect([place, isInside([a], place)]).toEqual([place, false])
  expect(isInside([], a)).toBe(false)
  expect(isInside([`${at}/ab`, a], a)).toBe(true)
})

it('follows links on both sides, and takes none that leads nowhere', () => {
  const at = scratch()
  symlinkSync(path.join(at, 'ab'), path.join(at, 'a', 'out'))
  symlinkSync(path.join(at, 'a'), path.join(at, 'alias'))
  symlinkSync(path.join(at, 'ab', 'later'), path.join(at, 'a', 'dangling'))
  symlinkSync('loop', path.join(at, 'a', 'loop'))
  const a = [path.join(at, 'a')]
  expect(isInside(a, path.join(at, 'a', 'out'))).toBe(false)
  expect(isInside(a, path.join(at, 'a', 'out', 'new'))).toBe(false)
  expect(isInside(a, path.join(at, 'alias', 'b'))).toBe(true)
  expect(isInside([path.join(at, 'alias')], path.join(at, 'a', 'b'))).toBe(true)
  expect(isInside(a, path.join(at, 'a', 'dangling'))).toBe(false)
  expect(isInside(a, path.join(at, 'a', 'dangling', 'x'))).toBe(false)
  expect(isInside(a, path.join(at, 'a', 'loop'))).toBe(false)
})

it('takes paths of another machine by name', () => {
  for (const place of ['/srv', '/srv/', '/srv/app', '/srv/a/../b', '/srv/..b'])
    expect([place, isBelow('/srv', place)]).toEqual([place, true])
  for (const place of ['/', '/srvs', '/srv/..', '/srv/../etc', 'srv', ''])
    expect([place, isBelow('/srv', place)]).toEqual([place, false])
  expect(isBelow('/', '/any')).toBe(true)
})
