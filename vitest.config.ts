import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/run/longest-first.ts'

/** The oldest and the newest codex that is supported: part of `npm test`. */
const DRIFT_ENDS = [
  'test/drift/codex-versions.test.ts',
  'test/drift/0.125.0.test.ts',
  'test/drift/0.166.0.test.ts',
]

/** Everything that a service stores, on PostgreSQL. What is about the SQLite file itself is in `test/e2e/sqlite`. */
const ON_POSTGRES = [
  'test/e2e/{tasks,api,cli-tasks,postgres,fleet}/**/*.test.ts',
  'test/e2e/trust-cli.test.ts',
  'test/faults/{task-incidents,unbegun-tasks}.test.ts',
]

export default defineConfig({
  test: {
    // Most tests wait for codex most of the time.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // One process runs many files: loading the modules again for each of 326 files took half of the unit tests' time.
    // A test leaves nothing behind: no changed environment, no mocked module, no open server.
    isolate: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts', 'web/**/*.test.ts'],
          globalSetup: 'test/run/offer-postgres.ts',
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'codex',
          include: ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts'],
          exclude: ['test/e2e/{postgres,fleet}/**'],
          globalSetup: ['test/run/global-setup.ts', 'test/run/offer-used-home.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: 'codex-postgres',
          include: ON_POSTGRES,
          globalSetup: [
            'test/run/global-setup.ts',
            'test/run/offer-used-home.ts',
            'test/run/offer-postgres.ts',
          ],
          env: { DRAWBRIDGE_TEST_STORE: 'postgres' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: 'attack',
          include: ['test/attack/**/*.test.ts'],
          globalSetup: 'test/run/global-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/support/global-setup.ts', 'test/run/offer-used-home.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        test: {
          name: 'drift',
          include: ['test/drift/*.test.ts'],
          exclude: DRIFT_ENDS,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'drift-ends',
          include: DRIFT_ENDS,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
