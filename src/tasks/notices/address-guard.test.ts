import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import tlsDefaults from 'smtp-server/lib/tls-options'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AddressGuard, AddressRefusedError, type Resolve } from './address-guard.ts'
import { isPublicAddress } from './address-ranges.ts'
import { startReceiver } from './fixtures/receiver.ts'
import { post } from './http-post.ts'

const finished = onTestFinished
const signal = new AbortController().signal

describe('isPublicAddress', () => {
  it.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['unspecified and this network', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
    ['link-local', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
    ['metadata', '169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', '169.254.170.2'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    ['reserved', '240.0.0.1', '192.0.0.8', '198.18.0.1', '192.88.99.1', '5f00::1', '100::1'],
    ['documentation', '192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
    ['tunnels', '2002:7f00:1::', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['not an address', 'localhost', '', '127.1', '0x7f000001'],
  ])('is not true of %s', (_, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  it('is true of the public internet', () => {
    const addresses = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1']
    addresses.push(
      '169.253.1.1',
      '192.0.1.1',
      '223.255.255.255',
      '2606:4700::1111',
      '2a00:1450::1',
      '2001:4860::8888',
    )
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})

describe('AddressGuard', () => {
  const closed = new AddressGuard({ allowPrivate: [], resolve: resolvesTo('8.8.8.8') })

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[fe80::1%25eth0]/',
    'https://2130706433/',
    'https://134744072/',
    'https://0x7f.0.0.1/',
    'https://0x08080808/',
    'https://0177.0.0.1/',
    'https://010.8.8.8/',
    'https://127.1/',
    'https://8.8/',
    'https://user:pw@2130706433:443/',
    'https://%31%32%37.0.0.1/',
    'https:\\\\2130706433\\',
    'https://１２７.0.0.1/',
    'http://8.8.8.8/',
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'nonsense',
  ])('refuses %s without asking DNS', (url) => {
    expect(() => closed.checkUrl(url)).toThrow(AddressRefusedError)
  })

  it('refuses a name that leads to anything private, if only among others', async () => {
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:10.0.0.1'], ['fe80::1%lo']]) {
      const guard = new AddressGuard({ allowPrivate: [], resolve: resolvesTo(...addresses) })
      await expect(guard.checkUrlHost('https://hooks.example/')).rejects.toThrow(AddressRefusedError)
      await expect(guard.checkHost('hooks.example')).rejects.toThrow(/allowPrivate/)
    }
  })

  it('refuses localhost by what it resolves to', async () => {
    const guard = new AddressGuard({ allowPrivate: [] })
    await expect(guard.checkUrlHost('https://localhost/')).rejects.toThrow(AddressRefusedError)
  })

  it('lets public names through, over https only', async () => {
    const { addresses, isAllowedPrivate } = await closed.checkUrlHost('https://hooks.example/')
    expect(addresses).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(isAllowedPrivate).toBe(false)
    await expect(closed.checkUrlHost('http://hooks.example/')).rejects.toThrow(/https/)
  })

  it.each([
    ['all', true as const],
    ['a subnet', ['10.0.0.0/8']],
    ['an address', ['10.1.2.3']],
    ['a name', ['Hooks.Internal']],
  ])('lets private addresses through when %s is allowed, over http too', async (_, allowPrivate) => {
    const guard = new AddressGuard({ allowPrivate, resolve: resolvesTo('10.1.2.3') })
    await expect(guard.checkUrlHost('http://hooks.internal./')).resolves.toMatchObject({
      isAllowedPrivate: true,
    })
  })

  it('allows no more than is listed', async () => {
    const guard = new AddressGuard({
      allowPrivate: ['10.0.0.0/8', 'fd00::/8', 'a.internal'],
      resolve: resolvesTo('192.168.0.1'),
    })
    await expect(guard.checkHost('b.internal')).rejects.toThrow(AddressRefusedError)
    await expect(guard.checkHost('10.9.9.9')).resolves.toMatchObject({ isAllowedPrivate: true })
    await expect(guard.checkHost('fd00::5')).resolves.toMatchObject({ isAllowedPrivate: true })
    await expect(guard.checkHost('a.internal')).resolves.toMatchObject({ isAllowedPrivate: true })
  })

  it('wants https of public hosts even when all private ones are allowed', async () => {
    const guard = new AddressGuard({ allowPrivate: true, resolve: resolvesTo('8.8.8.8') })
    await expect(guard.checkUrlHost('http://hooks.example/')).rejects.toThrow(/https/)
  })

  it.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'a b', '10.0.0.0/x'])(
    'does not accept the entry %j',
    (entry) => {
      expect(() => new AddressGuard({ allowPrivate: [entry] })).toThrow(/neither a host name/)
    },
  )
})

describe('post', () => {
  it('connects to the address that was checked, though the name leads elsewhere a moment later', async () => {
    const good = await startReceiver(() => ({}), { finished })
    const bad = await startReceiver(() => ({}), { finished, host: '::1' })
    const answers = ['127.0.0.1', '::1']
    const asked: string[] = []
    const resolve: Resolve = async (host) => {
      asked.push(host)
      return resolvesTo(answers[asked.length - 1] ?? '::1')(host)
    }
    const guard = new AddressGuard({ allowPrivate: ['127.0.0.1'], resolve })
    const url = `http://rebind.example:${new URL(good.url).port}/`
    await expect(post({ url, headers: {}, body: 'x' }, { guard, signal })).resolves.toMatchObject({
      status: 200,
    })
    expect(good.received[0]!.headers.host).toContain('rebind.example')
    expect(asked).toEqual(['rebind.example'])
    await expect(post({ url, headers: {}, body: 'x' }, { guard, signal })).rejects.toThrow(
      AddressRefusedError,
    )
    expect(bad.received).toEqual([])
  })

  it('sends nothing to a server whose certificate nobody signed', async () => {
    const make = (listener: RequestListener) => createTlsServer(tlsDefaults(), listener) as unknown as Server
    const receiver = await startReceiver(() => ({}), { finished, make })
    const guard = new AddressGuard({ allowPrivate: ['127.0.0.1'], resolve: resolvesTo('127.0.0.1') })
    const url = receiver.url.replace('http:', 'https:')
    await expect(post({ url, headers: {}, body: 'x' }, { guard, signal })).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNED/),
    })
    expect(receiver.received).toEqual([])
  })

  it('does not wait for DNS longer than it may', async () => {
    const abort = new AbortController()
    const guard = new AddressGuard({ allowPrivate: [], resolve: () => new Promise(() => undefined) })
    const posted = post(
      { url: 'https://slow.example/', headers: {}, body: '' },
      { guard, signal: abort.signal },
    )
    abort.abort(new Error('enough'))
    await expect(posted).rejects.toThrow('enough')
  })

  it('reads only the beginning of an endless answer', async () => {
    const receiver = await startReceiver(() => ({ body: 'x'.repeat(5_000_000) }), { finished })
    const guard = new AddressGuard({ allowPrivate: true })
    const { status, text } = await post({ url: receiver.url, headers: {}, body: '' }, { guard, signal })
    expect(status).toBe(200)
    expect(text).toHaveLength(65_536)
  })
})

function resolvesTo(...addresses: string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
