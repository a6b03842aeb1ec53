/** An image that is in the event itself; of any other only where it is. */
export function Picture({ source }: { readonly source: string }) {
  if (source.startsWith('data:image/'))
    return <img src={source} alt="Attached" className="max-h-80 max-w-full rounded-lg" />
  return <code className="text-[13px] text-soft [overflow-wrap:anywhere]">{source}</code>
}
