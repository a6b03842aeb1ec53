import { TaskError } from '../model/index.ts'

export interface TargetParts {
  /** What is wrong with a target; null when nothing is. */
  readonly problemWithTarget: (target: string) => string | null
  /** What they hold is hidden in every text from now on. */
  readonly hideSecretsOf: (targets: readonly string[]) => void
}

/** Refuses targets that no notice could reach. */
export function checkTargets(
  targets: readonly string[],
  { problemWithTarget, hideSecretsOf }: TargetParts,
): void {
  for (const target of targets) {
    const problem = problemWithTarget(target)
    if (problem !== null) throw new TaskError('bad-request', `notices cannot go there: ${problem}`)
  }
  hideSecretsOf(targets)
}
