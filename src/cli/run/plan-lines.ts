import type { protocol } from '../../codex/index.ts'

type Steps = readonly protocol.v2.TurnPlanStep[]

/** A plan as lines of text: whole when it is new, and then only where it is. */
export class PlanLines {
  #shown = ''

  of(steps: Steps): string[] {
    const isKnown = this.#shown === textOf(steps)
    this.#shown = textOf(steps)
    if (steps.length === 0) return []
    return isKnown
      ? progress(steps)
      : ['Plan:', ...steps.map((step, index) => `  ${index + 1}. ${step.step}${MARKS[step.status] ?? ''}`)]
  }
}

const MARKS: Readonly<Record<string, string>> = { completed: ' ✔' }

function progress(steps: Steps): string[] {
  const at = steps.findIndex(({ status }) => status === 'inProgress')
  if (at !== -1) return [`▸ ${at + 1} of ${steps.length}: ${steps[at]!.step}`]
  return steps.every(({ status }) => status === 'completed') ? [`▸ all ${steps.length} steps are done`] : []
}

function textOf(steps: Steps): string {
  return steps.map(({ step }) => step).join('\n')
}
