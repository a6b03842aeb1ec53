// Whether there is a value for all that a question asks: an answer cannot be taken back.
import type { Approval } from '../../api/index.ts'
import type { Question } from '../../codex/index.ts'
import { UsageError } from '../process/index.ts'
import { type Field, shellWord, valueOption, wantedFields } from '../prompts/index.ts'
import { visibleLine } from '../screen/index.ts'
import { nameOfValue, requireAsked } from './answer-values.ts'

export interface Given {
  /** `name=value` each. */
  readonly value: readonly string[]
  /** Names. */
  readonly secret: readonly string[]
  readonly skip: readonly string[]
}

/** Throws where something is left out that nobody said to skip. What a form does not require may be left out. */
export function requireValues(question: Approval['question'], { value, secret, skip }: Given): void {
  requireAsked(question, skip, '--skip')
  const fields = wantedFields(question as Question)
  if (fields.length === 0) return
  requireAsked(question, secret, '--secret')
  const given = new Set([...secret, ...value.map((one) => nameOfValue(question, one))])
  const both = skip.find((name) => given.has(name))
  if (both !== undefined) throw new UsageError(`--skip ${both}: it is given a value, too`)
  const needed = fields.filter(({ name }) => skip.includes(name)).find(({ isRequired }) => isRequired)
  if (needed) throw new UsageError(`--skip ${needed.name}: it is required; drawbridge deny answers with no`)
  const isMust = ({ isRequired }: Field) => isRequired || question.kind === 'user-input'
  const missing = fields.filter(
    (field) => isMust(field) && !given.has(field.name) && !skip.includes(field.name),
  )
  if (missing.length > 0) throw new UsageError(missingText(missing))
}

function missingText(missing: readonly Field[]): string {
  const names = missing.map(({ name }) => `"${visibleLine(name)}"`).join(', ')
  const has = missing.length === 1 ? 'has' : 'have'
  const add = missing.map(valueOption).join(' ')
  const skippable = missing.filter(({ isRequired }) => !isRequired)
  const skip = skippable.map(({ name }) => `--skip ${shellWord(name)}`).join(' ')
  const leaveOut =
    skip === '' ? '' : `; to leave ${missing.length === 1 ? 'it' : 'them'} out on purpose: ${skip}`
  return `${names} ${has} no value: add ${add}${leaveOut}`
}
