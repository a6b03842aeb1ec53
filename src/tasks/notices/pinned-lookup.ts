import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

/** A lookup that knows only these addresses, whatever name it is asked for. */
export function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}
