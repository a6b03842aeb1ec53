import { describe, expect, it } from 'vitest'
import type { protocol } from '../protocol/index.ts'
import { grantParts, permissionParts } from './permission-parts.ts'

const entry = (access: 'read' | 'write' | 'deny', path: string) => ({
  access,
  path: { type: 'path' as const, path },
})
const root = { access: 'read' as const, path: { type: 'special' as const, value: { kind: 'root' as const } } }
const entries = [entry('write', '/a'), entry('read', '/b'), entry('deny', '/a/secret'), root]
const asked: protocol.v2.RequestPermissionProfile = {
  network: { enabled: true },
  fileSystem: { read: ['/b'], write: ['/a'], entries, globScanMaxDepth: 3 },
}
const old: protocol.v2.RequestPermissionProfile = {
  network: null,
  fileSystem: { read: ['/b'], write: ['/a', '/c'] },
}
const labels = (of: typeof asked) => permissionParts(of).map(({ label }) => label)
const pick = (of: typeof asked, ...wanted: string[]) =>
  grantParts(
    of,
    permissionParts(of).filter(({ label }) => wanted.includes(label)),
  )

describe('permissions in parts', () => {
  it('name each thing once', () => {
    expect(labels(asked)).toEqual([
      'the network, all of it',
      'write /a',
      'read /b',
      'deny /a/secret',
      'read everything on this machine',
    ])
    expect(labels(old)).toEqual(['read /b', 'write /a', 'write /c'])
    expect(labels({ network: { enabled: false }, fileSystem: null })).toEqual([])
  })

  it('grant what was chosen and nothing else', () => {
    expect(pick(asked, 'write /a')).toEqual({
      fileSystem: {
        read: [],
        write: ['/a'],
        entries: [entry('write', '/a'), entry('deny', '/a/secret')],
        globScanMaxDepth: 3,
      },
    })
    expect(pick(asked, 'the network, all of it')).toEqual({ network: { enabled: true } })
    expect(pick(old, 'read /b', 'write /c')).toEqual({ fileSystem: { read: ['/b'], write: ['/c'] } })
    expect(pick(asked)).toEqual({})
    expect(pick(asked, 'deny /a/secret')).toEqual({})
  })

  it('grant all of it as it was asked for', () => {
    expect(grantParts(asked, permissionParts(asked))).toEqual(asked)
  })
})
