import { supportOf } from '../protocol/index.ts'
import { DrawbridgeError } from './errors.ts'
import { hasCode } from './has-code.ts'

/** The connected codex does not have this method. */
export class UnsupportedError extends DrawbridgeError {
  constructor(method: string, version: string | null, cause?: unknown) {
    super(`${method} is unsupported by codex ${version ?? 'of this version'}`, { code: 'unsupported', cause })
  }
}

export class ExperimentalMethodError extends DrawbridgeError {
  constructor(method: string) {
    super(`${method} is experimental: open the client with { experimental: true } to use it`, {
      code: 'experimental-method',
    })
  }
}

/** Throws at once for what this codex, or this client of it, cannot do. */
export function requireSupport(
  method: string,
  client: { version: string | null; isExperimental: boolean },
): void {
  const support = supportOf(method, client.version)
  if (support === 'missing') throw new UnsupportedError(method, client.version)
  if (support === 'experimental' && !client.isExperimental) throw new ExperimentalMethodError(method)
}

/** For versions between those we know: codex's way to say that it has no such method. */
export function unsupportedBy(error: unknown, method: string, version: string | null): unknown {
  const isUnknown = hasCode(error, 'rpc-error') && error.rpcMessage.includes(`unknown variant \`${method}\``)
  return isUnknown ? new UnsupportedError(method, version, error) : error
}
