/** A sentence whose `quoted` parts are commands or names. */
export function CodeText({ text }: { readonly text: string }) {
  const parts = text
    .split('`')
    .map((part, index) => ({ part, isCode: index % 2 === 1, key: `${index} ${part}` }))
  return parts.map(({ part, isCode, key }) =>
    isCode ? (
      <code key={key} className="[overflow-wrap:anywhere]">
        {part}
      </code>
    ) : (
      <span key={key}>{part}</span>
    ),
  )
}
