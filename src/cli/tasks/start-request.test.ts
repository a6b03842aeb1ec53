import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type StartFlags, startRequest } from './start-request.ts'

const NONE = { rule: [], label: [], tool: [], notify: [], image: [], also: [] }
const FLAGS: StartFlags = { sandbox: 'read-only', ...NONE }

describe('what `task start` asks for', () => {
  it('says nothing of workers unless it was told to', () => {
    expect(startRequest('go', { ...FLAGS, cwd: '/' })).toEqual({
      prompt: 'go',
      cwd: '/',
      policy: { sandbox: 'read-only' },
    })
  })

  it('names the worker, and what becomes of the task without it', () => {
    expect(startRequest('go', { ...FLAGS, on: 'gpu', onLost: 'fail' })).toMatchObject({
      on: 'gpu',
      onLost: 'fail',
    })
  })

  it('takes a folder that only another machine has, if the task is to run on another', () => {
    const cwd = '/nowhere/on/this/machine'
    expect(startRequest('go', { ...FLAGS, on: 'gpu', cwd }).cwd).toBe(cwd)
    expect(() => startRequest('go', { ...FLAGS, cwd })).toThrow('no such folder')
    expect(() => startRequest('go', { ...FLAGS, on: 'gpu', cwd: 'nowhere/here' })).toThrow('no such folder')
  })

  it('leaves the path of a clone on a host to that host', () => {
    const there = { ...FLAGS, host: 'build', cwd: '/srv', workspace: 'clone:shop' }
    expect(startRequest('go', there)).toMatchObject({ host: 'build', workspace: { source: 'shop' } })
    const here = { ...FLAGS, workspace: 'clone:shop' }
    expect(startRequest('go', here).workspace).toMatchObject({ source: path.resolve('shop') })
  })

  it('names further repositories from here, with their branches', () => {
    const also = ['../lib', '/srv/tools:feature/x']
    const { workspace } = startRequest('go', { ...FLAGS, cwd: '/', workspace: 'worktree', also })
    expect(workspace).toEqual({
      kind: 'worktree',
      also: [{ source: path.resolve('../lib') }, { source: '/srv/tools', branch: 'feature/x' }],
    })
    expect(() => startRequest('go', { ...FLAGS, also })).toThrow('need --workspace')
    expect(() => startRequest('go', { ...FLAGS, workspace: 'worktree', also: ['lib:'] })).toThrow('--also')
  })

  it('sends images to hosts, which have no files of this machine', () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'drawbridge-')), 'a.PNG')
    writeFileSync(file, 'x')
    const there = { ...FLAGS, host: 'build', cwd: '/srv', image: [file] }
    expect(startRequest('go', there).prompt).toContainEqual({
      type: 'image',
      url: 'data:image/png;base64,eA==',
    })
    expect(startRequest('go', { ...FLAGS, cwd: '/', image: [file] }).prompt).toContainEqual({
      type: 'localImage',
      path: file,
    })
    expect(() => startRequest('go', { ...there, image: ['/etc/hostname'] })).toThrow('png, jpg')
  })
})
