// Keeps notices from reaching what only this machine or its network can reach. The caller connects to the addresses
// that were checked, never to the name again: a name can be made to lead elsewhere a moment later.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, isIPv4 } from 'node:net'
import { DrawbridgeError } from '../../codex/index.ts'
import { AllowedHosts, type AllowPrivate, isPublicAddress } from './address-ranges.ts'

export class AddressRefusedError extends DrawbridgeError {
  constructor(message: string) {
    super(message, { code: 'address-refused' })
  }
}

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

const resolveByDns: Resolve = (hostname) => lookup(hostname, { all: true })

export interface GuardOptions {
  readonly allowPrivate: AllowPrivate
  readonly resolve?: Resolve | undefined
}

export interface CheckedHost {
  /** Never empty; all of them may be reached. */
  readonly addresses: readonly LookupAddress[]
  /** On the operator's list, by name or by every address: it need not be spoken to encrypted. */
  readonly isAllowedPrivate: boolean
}

export class AddressGuard {
  readonly #allowed: AllowedHosts
  readonly #resolve: Resolve

  constructor({ allowPrivate, resolve = resolveByDns }: GuardOptions) {
    this.#allowed = new AllowedHosts(allowPrivate)
    this.#resolve = resolve
  }

  /** What can be said without asking DNS. Throws when the url can never be reached. */
  checkUrl(text: string): URL {
    const url = URL.parse(text)
    if (!url) throw new AddressRefusedError('that is not a url')
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new AddressRefusedError(`${url.protocol} is not spoken here, only http and https`)
    }
    checkWriting(hostAsWritten(text))
    const host = hostOf(url)
    if (isIP(host)) requireTls(url, this.#check(host, [{ address: host, family: isIPv4(host) ? 4 : 6 }]))
    return url
  }

  /** Rejects with `AddressRefusedError` when any of the host's addresses may not be reached. */
  async checkHost(host: string): Promise<CheckedHost> {
    checkWriting(host)
    const version = isIP(host)
    const addresses = version ? [{ address: host, family: version }] : await this.#resolve(host)
    return this.#check(host, addresses)
  }

  /** `checkUrl`, then `checkHost`, and no plain http to a host that is not allowed private. */
  async checkUrlHost(text: string): Promise<CheckedHost & { readonly url: URL }> {
    const url = this.checkUrl(text)
    const checked = await this.checkHost(hostOf(url))
    requireTls(url, checked)
    return { url, ...checked }
  }

  #check(host: string, addresses: readonly LookupAddress[]): CheckedHost {
    if (addresses.length === 0) throw new DrawbridgeError(`${host} has no address`, { code: 'no-address' })
    const isNamed = this.#allowed.hasName(host)
    for (const { address } of addresses) {
      if (isNamed || isPublicAddress(address) || this.#allowed.hasAddress(address)) continue
      throw new AddressRefusedError(
        `${host} is ${host === address ? 'not a public address' : `at ${address}, which is not public`}; ` +
          'allow it in the settings (allowPrivate) if it is yours',
      )
    }
    const isPrivate = addresses.every(({ address }) => !isPublicAddress(address))
    return { addresses, isAllowedPrivate: isNamed || isPrivate }
  }
}

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

function requireTls(url: URL, { isAllowedPrivate }: CheckedHost): void {
  if (url.protocol === 'https:' || isAllowedPrivate) return
  throw new AddressRefusedError(
    `${url.hostname} must be reached by https: plain http is for hosts you allowed (allowPrivate)`,
  )
}

/** `new URL` has already turned `0x7f.1` into 127.0.0.1: what people wrote is only in the text. */
function hostAsWritten(text: string): string {
  const authority = /^[a-z]+:[/\\]*([^/\\?#]*)/i.exec(text.trim())?.[1] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '')
}

const NUMERIC = /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?$/i

/** Forms that nobody needs and that readers disagree about: decimal, octal, hexadecimal, zones, escapes. */
function checkWriting(host: string): void {
  if (host.includes('%'))
    throw new AddressRefusedError('an address with a zone or an escape in it is not accepted')
  if (NUMERIC.test(host) && !isIPv4(host)) {
    throw new AddressRefusedError(`write the address ${host} with four decimal numbers`)
  }
}
