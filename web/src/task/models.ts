import { useModels } from '../api/queries.ts'
import { asParams, listOf, textOf } from '../transcript/params.ts'

export interface ModelChoice {
  readonly id: string
  readonly name: string
  readonly efforts: readonly string[]
  readonly isDefault: boolean
}

/** What codex offers, as far as it can be read. Empty while it is asked, and where it cannot be. */
export function useModelChoices(): readonly ModelChoice[] {
  const { data } = useModels()
  return readModels(data?.items ?? [])
}

function readModels(items: readonly unknown[]): ModelChoice[] {
  return items.map(asParams).flatMap((model) => {
    const id = textOf(model.model) ?? textOf(model.id)
    if (id === null || model.hidden === true) return []
    const efforts = listOf(model.supportedReasoningEfforts).flatMap(
      ({ reasoningEffort }) => textOf(reasoningEffort) ?? [],
    )
    return [{ id, name: textOf(model.displayName) ?? id, efforts, isDefault: model.isDefault === true }]
  })
}

const USUAL_EFFORTS = ['low', 'medium', 'high']

export function effortsOf(models: readonly ModelChoice[], chosen: string | undefined): readonly string[] {
  const model = models.find(({ id, isDefault }) => (chosen ? id === chosen : isDefault))
  return model && model.efforts.length > 0 ? model.efforts : USUAL_EFFORTS
}
