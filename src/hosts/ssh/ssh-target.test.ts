import { describe, expect, it } from 'vitest'
import { connectArguments } from './ssh-arguments.ts'
import { checkSpec, parseAddress } from './ssh-target.ts'

const settings = { ssh: 'ssh', configFile: null, knownHostsFile: '/data/known_hosts', env: {} }

describe('the address of a host', () => {
  it.each([
    ['box', { user: null, host: 'box', port: null }],
    ['me@box.example.org:2222', { user: 'me', host: 'box.example.org', port: 2222 }],
    ['DOMAIN\\me@box', { user: 'DOMAIN\\me', host: 'box', port: null }],
    ['me@corp@box', { user: 'me@corp', host: 'box', port: null }],
    ['::1', { user: null, host: '::1', port: null }],
    ['me@[fe80::1%eth0]:22', { user: 'me', host: 'fe80::1%eth0', port: 22 }],
  ])('%s is taken apart', (text, address) => {
    expect(parseAddress(text, 'far')).toEqual(address)
  })

  it.each([
    '',
    '-oProxyCommand=touch x',
    'me@-oProxyCommand=x',
    '-lroot@box',
    'box:0',
    'box:99999',
    'box:22x',
    'box -p 1',
    'box;id',
    'box$(id)',
    'box\nHost *',
    'box`id`',
    "box'",
    '@box',
    'ssh://box',
  ])('%j is refused', (text) => {
    expect(() => parseAddress(text, 'far')).toThrow(/not the address of a host/)
    expect(() => checkSpec({ name: 'far', destination: 'box', jump: text || '-x' })).toThrow(
      /not the address/,
    )
  })

  it.each(['', '../x', 'a/b', '.x', 'a b', 'x'.repeat(64)])('%j cannot be a name', (name) => {
    expect(() => checkSpec({ name, destination: 'box' })).toThrow(/cannot be the name/)
  })

  it('a path that holds a line break, or that ssh would read as more, is refused', () => {
    const far = { name: 'far', destination: 'box' }
    expect(() => checkSpec({ ...far, codexPath: '/opt/codex\ntouch x' })).toThrow(/path of codex/)
    expect(() => checkSpec({ ...far, identity: '/keys/%h' })).toThrow(/key file/)
    checkSpec({ ...far, codexPath: `/opt/it's "$(odd)"/codex`, identity: "/keys/it's" })
  })
})

describe('the arguments of ssh', () => {
  it('check the key of every host on the way, and ask nobody', () => {
    const spec = { name: 'far', destination: 'me@box:2222', jump: 'a,b@gate:22', identity: "/keys/it's 100" }
    const args = connectArguments(spec, settings, {
      ...{ knownHosts: ['/home/me/.ssh/known_hosts'], canFork: false },
    })
    expect(args.slice(-6)).toEqual(['-p', '2222', '-l', 'me', '--', 'box'])
    expect(args).toContain('StrictHostKeyChecking=yes')
    expect(args).toContain('UserKnownHostsFile="/home/me/.ssh/known_hosts" "/data/known_hosts"')
    expect(args).toContain('BatchMode=yes')
    const through = args.find((text) => text.startsWith('ProxyCommand='))
    expect(through).toContain(`'StrictHostKeyChecking=yes'`)
    expect(through).toContain(`'BatchMode=yes'`)
    expect(through).toContain(`'/keys/it'\\''s 100'`)
    expect(through).toMatch(/'-J' 'a' '-W' \[%h\]:%p '-p' '22' '-l' 'b' '--' 'gate'$/)
  })
})
