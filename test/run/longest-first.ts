import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { secondsOf } from './durations.ts'

/** A long file that begins last would leave all but one worker idle at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => secondsOf(b.moduleId) - secondsOf(a.moduleId))
  }
}
