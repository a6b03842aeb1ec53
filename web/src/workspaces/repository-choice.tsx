import type { Work } from '../api/contract.ts'
import { Choice, Field } from '../ui/field.tsx'

interface Props {
  readonly work: Work
  readonly chosen: string | null
  readonly onChoose: (repository: string) => void
}

/** Which repository of a task that has several. What is done below is done in that one. */
export function RepositoryChoice({ work, chosen, onChoose }: Props) {
  const options = work.repositories.map(({ id, source }) => ({ value: id, text: nameOf(source ?? id) }))
  return (
    <Field label="Repository" hint="Each is committed, applied and discarded by itself.">
      {(ids) => <Choice {...ids} value={chosen ?? work.workspace} onChoose={onChoose} options={options} />}
    </Field>
  )
}

/** The name first: a path can be longer than the field. */
function nameOf(source: string): string {
  return `${source.split('/').at(-1)} · ${source}`
}
