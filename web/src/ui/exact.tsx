import { Fragment } from 'react'
import { visibleParts } from '../../../src/util/visible-text.ts'

/**
 * A command, path or line of code as it is: what a screen would hide or turn around is spelled out and marked. Letters
 * stand in the order they are in, also those of scripts that are written from the right.
 */
export function Exact({ text }: { readonly text: string }) {
  const parts = visibleParts(text).map((part, index) => ({ ...part, key: `${index}` }))
  return (
    <bdo dir="ltr">
      {parts.map(({ text: part, isSpelledOut, key }) =>
        isSpelledOut ? (
          <mark key={key} title="A character that cannot be seen" className="rounded-xs bg-bad-wash text-bad">
            {part}
          </mark>
        ) : (
          <Fragment key={key}>{part}</Fragment>
        ),
      )}
    </bdo>
  )
}
