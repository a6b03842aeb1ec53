// Which addresses belong to the public internet, and which others an operator has allowed.
import { BlockList, isIP } from 'node:net'
import { DrawbridgeError } from '../../codex/index.ts'

type Subnet = readonly [address: string, prefix: number]

/** Everything IANA lists as not globally reachable, and the address of Azure's metadata service. */
const NOT_PUBLIC_V4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Only this part of IPv6 is given out. Mapped IPv4, NAT64, unique local, link-local and multicast are outside it. */
const GIVEN_OUT_V6: readonly Subnet[] = [['2000::', 3]]

/** Inside it: Teredo and other protocols, documentation, 6to4 (which leads to any IPv4 address). */
const NOT_PUBLIC_V6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const notPublicV4 = listOf(NOT_PUBLIC_V4, 'ipv4')
const givenOutV6 = listOf(GIVEN_OUT_V6, 'ipv6')
const notPublicV6 = listOf(NOT_PUBLIC_V6, 'ipv6')

/** Of an address in its usual writing. An address with a zone is never public. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return !notPublicV4.check(address, 'ipv4')
    case 6:
      return givenOutV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6')
    default:
      return false
  }
}

/** `true`: all of them. Otherwise host names, addresses and subnets: `hooks.internal`, `10.1.2.3`, `10.0.0.0/8`. */
export type AllowPrivate = true | readonly string[]

/** What of the private addresses may be reached. */
export class AllowedHosts {
  readonly #all: boolean
  readonly #names = new Set<string>()
  readonly #addresses = new BlockList()

  constructor(allowed: AllowPrivate) {
    this.#all = allowed === true
    for (const entry of allowed === true ? [] : allowed) this.#add(entry.trim())
  }

  hasName(hostname: string): boolean {
    return this.#names.has(plainName(hostname))
  }

  hasAddress(address: string): boolean {
    const version = isIP(address)
    if (version === 0 || address.includes('%')) return false
    return this.#all || this.#addresses.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }

  #add(entry: string): void {
    const [address, prefix] = entry.split('/', 2) as [string, string?]
    const version = isIP(address)
    if (version === 0 && prefix === undefined && /^[\w.-]+$/.test(entry)) {
      this.#names.add(plainName(entry))
      return
    }
    const longest = version === 4 ? 32 : 128
    const length = prefix === undefined ? longest : Number(prefix)
    if (version === 0 || !Number.isInteger(length) || length < 0 || length > longest) {
      throw new DrawbridgeError(
        `"${entry}" is neither a host name, an address nor a subnet like 10.0.0.0/8`,
        {
          code: 'bad-setting',
        },
      )
    }
    this.#addresses.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4')
  }
}

function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

function listOf(subnets: readonly Subnet[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family)
  return list
}
