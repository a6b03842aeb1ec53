// Reports a run in one line that says how far it is and how long it will take, and every failure in full.
import { existsSync, writeFileSync } from 'node:fs'
import {
  MinimalReporter,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type TestSpecification,
} from 'vitest/node'
import { secondsOf, writeDurations } from './durations.ts'

/** On a terminal the line is written anew each time; in a log a line as often as this is enough. */
const LOG_EVERY_MS = 15_000
const TERMINAL_EVERY_MS = 200

export default class ProgressReporter extends MinimalReporter {
  readonly #startedAt = performance.now()
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }
  readonly #seconds = new Map<string, number>()
  #files = { done: 0, all: 0 }
  #work = { done: 0, all: 0 }
  #toldAt = 0

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications)
    this.#files.all = specifications.length
    this.#work.all = specifications.reduce((sum, { moduleId }) => sum + secondsOf(moduleId), 0)
    this.#tell({ isDue: true })
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#clear()
    super.onTestModuleEnd(module)
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state !== 'pending') this.#counts[state]++
      if (state === 'failed') process.stdout.write(whyFailed(test))
    }
    // A file that cannot be loaded has no tests, and fails all the same.
    if (module.state() === 'failed' && module.errors().length > 0) this.#counts.failed++
    this.#files.done++
    this.#work.done += secondsOf(module.moduleId)
    this.#seconds.set(module.moduleId, module.diagnostic().duration / 1000)
    this.#tell({ isDue: this.#files.done === this.#files.all })
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<MinimalReporter['onTestRunEnd']>[1],
    reason: TestRunEndReason,
  ): void {
    this.#clear()
    super.onTestRunEnd(modules, errors, reason)
    const counts = { ...this.#counts, failed: this.#counts.failed + errors.length }
    const { DRAWBRIDGE_TEST_COUNTS: counted, DRAWBRIDGE_TEST_DURATIONS: isRecorded } = process.env
    if (counted) writeFileSync(counted, JSON.stringify({ ...counts, reason }))
    if (isRecorded) writeDurations(this.#seconds, existsSync)
  }

  #tell({ isDue }: { isDue: boolean }): void {
    const now = performance.now()
    const everyMs = process.stdout.isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS
    if (!isDue && now - this.#toldAt < everyMs) return
    this.#toldAt = now
    const { passed, failed } = this.#counts
    const elapsed = (now - this.#startedAt) / 1000
    const facts = [
      `${this.#files.done}/${this.#files.all} files`,
      `${passed} passed`,
      ...(failed > 0 ? [`${failed} FAILED`] : []),
      durationText(elapsed),
      this.#left(elapsed),
    ]
    process.stdout.write(`  ${facts.join(' · ')}${process.stdout.isTTY ? '' : '\n'}`)
  }

  /** By what the finished files took last time, once enough of them are finished to tell. */
  #left(elapsed: number): string {
    const { done, all } = this.#work
    if (done === all) return 'done'
    return done < all / 20 ? 'estimating' : `about ${durationText((elapsed * (all - done)) / done)} left`
  }

  #clear(): void {
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K')
  }
}

/** At once: a run that is cut short never comes to its list of failures. */
function whyFailed(test: TestCase): string {
  const errors = test.result().errors ?? []
  const lines = errors.flatMap(({ message, stack = message, diff = '' }) => [
    ...stack.split('\n').slice(0, 3),
    ...diff.split('\n').slice(0, 30),
  ])
  return `  FAILED: ${test.fullName}\n${lines.join('\n').replaceAll(/^/gm, '    ')}\n`
}

function durationText(seconds: number): string {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, '0')} s`
}
