import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openHost } from '../../support/ssh/open-host.ts'
import { sshStage } from '../../support/ssh/ssh-stage.ts'

it('tells where paths lead on the host, whatever they are called', async () => {
  const stage = await sshStage()
  const here = (place: string) => path.join(stage.homeHere, place)
  const there = (place: string) => `${stage.home}/${place}`
  const odd = `it's "$HOME" \`id\` \\ *\n`
  mkdirSync(here('folder/inner'), { recursive: true })
  mkdirSync(here(odd))
  mkdirSync(here('shut'), { mode: 0o000 })
  writeFileSync(here('file'), '')
  symlinkSync(there('folder/inner'), here('link'))
  symlinkSync(there('nothing'), here('dangling'))
  const { host } = openHost(stage)
  const realPaths = async (places: string[]) => (await host.lookAt(places)).map(({ real }) => real)
  const kindsOf = async (places: string[]) => (await host.lookAt(places)).map(({ kind }) => kind)
  const asked: [place: string, real: string | null][] = [
    ['~', stage.home],
    [there('link'), there('folder/inner')],
    [there('link/..'), there('folder')],
    [there('link/new/file'), there('folder/inner/new/file')],
    [there('link/new/../file'), null],
    [there('new//'), there('new')],
    [there('folder/.'), there('folder')],
    [there(odd), there(odd)],
    [there(`${odd}/x`), there(`${odd}/x`)],
    [there('dangling'), null],
    [there('file/x'), null],
    [there('shut/x'), null],
    ['relative', null],
    ['/', '/'],
    ['/new', '/new'],
    ['', null],
    ['/a\0b', null],
    [`/${'a/'.repeat(3000)}`, null],
  ]
  const places = asked.map(([place]) => place)
  expect(await realPaths(places)).toEqual(asked.map(([, real]) => real))
  const kinds = ['link', 'file', 'nothing', 'dangling', 'file/x', 'shut/x', odd].map(there)
  expect(await kindsOf([...kinds, '/dev/null', 'relative', '/a\0b'])).toEqual([
    'folder',
    'file',
    'missing',
    'missing',
    'missing',
    null,
    'folder',
    'other',
    null,
    null,
  ])
  expect(await realPaths([])).toEqual([])
  expect(await kindsOf(Array.from({ length: 450 }, () => '/etc'))).toEqual(
    Array.from({ length: 450 }, () => 'folder'),
  )
  await host.close()
  expect(await kindsOf(['/etc'])).toEqual([null])
})
