import { Check, Copy } from 'lucide-react'
import { useState } from 'react'

interface Props {
  readonly text: string | (() => string)
  readonly label?: string
}

export function CopyButton({ text, label = 'Copy' }: Props) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-sunk hover:text-ink"
    >
      {isCopied ? <Check size={15} /> : <Copy size={15} />}
    </button>
  )
}
