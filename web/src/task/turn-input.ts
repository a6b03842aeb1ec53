import type { TurnInput } from '../api/contract.ts'
import type { AttachedImage } from './images.ts'

export function turnInput(text: string, images: readonly AttachedImage[]): TurnInput {
  if (images.length === 0) return text
  const pictures = images.map(({ url }) => ({ type: 'image' as const, url }))
  return text === '' ? pictures : [{ type: 'text', text }, ...pictures]
}
