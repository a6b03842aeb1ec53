import { ImagePlus, X } from 'lucide-react'
import type { Images } from './images.ts'

export function AttachedImages({ attached }: { readonly attached: Images }) {
  if (attached.images.length === 0) return null
  return (
    <ul aria-label="Attached images" className="flex flex-wrap gap-2">
      {attached.images.map((image) => (
        <li key={image.url} className="relative">
          <img
            src={image.url}
            alt={image.name}
            className="size-14 rounded-lg border border-line object-cover"
          />
          <button
            type="button"
            aria-label={`Remove ${image.name}`}
            className="absolute -top-1.5 -right-1.5 rounded-full border border-line bg-panel p-0.5"
            onClick={() => attached.remove(image)}
          >
            <X size={12} />
          </button>
        </li>
      ))}
    </ul>
  )
}

export function AttachButton({ attached }: { readonly attached: Images }) {
  return (
    <label
      className="inline-flex size-8 cursor-pointer items-center justify-center rounded-lg text-soft focus-within:outline-2 focus-within:outline-accent hover:bg-sunk"
      title="Attach images"
    >
      <ImagePlus size={17} aria-hidden />
      <input
        type="file"
        accept="image/*"
        multiple
        aria-label="Attach images"
        className="sr-only"
        onChange={(event) => event.target.files && void attached.add(event.target.files)}
      />
    </label>
  )
}
