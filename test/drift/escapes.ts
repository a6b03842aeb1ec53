// The escapes of test/attack on this version: what asks, what the sandbox holds, what a yes gives.
import { describe } from 'vitest'
import { escapesAreAsked } from '../attack/escapes-are-asked.ts'
import type { Subject } from './conformance.ts'

export function escapesConform({ version, expected, codexPath }: Subject): void {
  const unasked = expected.unaskedEscapes
  describe('escapes from the sandbox', () =>
    escapesAreAsked({ label: `commands, codex ${version}`, codexPath, unasked }))
}
