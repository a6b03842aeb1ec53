// What Drawbridge needs of codex, asked of the real binary of one version through our own client.
import { beforeAll, describe } from 'vitest'
import { installCodex } from '../../scripts/codex-versions.mjs'
import type { CodexOptions } from '../../src/codex/index.ts'
import type { LocalHostOptions } from '../../src/hosts/index.ts'
import type { CodexHomeOptions, ModelScript } from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'
import { approvalsConform } from './approvals.ts'
import { controlConforms } from './control.ts'
import { escapesConform } from './escapes.ts'
import { type Expectations, expectationsOf, type Version } from './expectations.ts'
import { gateConforms } from './gate.ts'
import { lenienceConforms } from './lenience.ts'
import { threadsConform } from './threads.ts'
import { trustConforms } from './trust.ts'
import { turnsConform } from './turns.ts'

/** One version under test. */
export interface Subject {
  readonly version: Version
  readonly expected: Expectations
  /** Its binary, once the suite runs. */
  codexPath(): string
  /** This version of codex behind our own client, on a home of its own. Ends with the test. */
  open(
    script: ModelScript,
    options?: { client?: CodexOptions; home?: CodexHomeOptions; host?: LocalHostOptions },
  ): ReturnType<typeof openClient>
}

/** Declares the whole suite for one version, which is installed first where it is missing. */
export function conformance(version: Version): void {
  describe(`codex ${version}`, () => {
    let codexPath: string
    beforeAll(async () => {
      codexPath = await installCodex(version)
    }, 600_000)

    const subject: Subject = {
      version,
      expected: expectationsOf(version),
      codexPath: () => codexPath,
      open: (script, options = {}) =>
        openClient(script, { ...options, host: { ...options.host, codexPath } }),
    }
    turnsConform(subject)
    approvalsConform(subject)
    gateConforms(subject)
    escapesConform(subject)
    controlConforms(subject)
    threadsConform(subject)
    lenienceConforms(subject)
    trustConforms(subject)
  })
}
