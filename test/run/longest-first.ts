import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { secondsOf } from './durations.ts'

/**
 * Project by project, because a process is used again only for a file of the same project; in each the longest first,
 * because a long file that begins last would leave all but one worker idle at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longest = new Map<string, number>()
    for (const { project, moduleId } of files)
      longest.set(project.name, Math.max(longest.get(project.name) ?? 0, secondsOf(moduleId)))
    return files.toSorted(
      (a, b) =>
        longest.get(b.project.name)! - longest.get(a.project.name)! ||
        a.project.name.localeCompare(b.project.name) ||
        secondsOf(b.moduleId) - secondsOf(a.moduleId),
    )
  }
}
