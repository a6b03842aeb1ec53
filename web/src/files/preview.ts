// What a file looks like, from its first bytes: text, one of four kinds of images, or neither. Nothing else of a file is
// ever given to the browser to show.
export type Preview =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'large-image' }
  | { readonly kind: 'binary' }

/** Of a file so much is fetched to be shown. */
const TEXT_BYTES = 256 * 1024
const IMAGE_BYTES = 8_000_000

const IMAGES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

/** By its content, never by its name or by what somebody says of it. */
export function imageType(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  return IMAGES.find(([, magic]) => magic.test(start))?.[0] ?? null
}

/** null: it is not text. The last character may be cut off. */
export function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}

export async function previewOf(
  read: (most: number) => Promise<Uint8Array<ArrayBuffer>>,
  size: number,
): Promise<Preview> {
  const head = await read(TEXT_BYTES)
  const type = imageType(head)
  if (type !== null) {
    if (size > IMAGE_BYTES) return { kind: 'large-image' }
    const bytes = size <= head.length ? head : await read(IMAGE_BYTES)
    return { kind: 'image', url: await dataUrl(new Blob([bytes], { type })) }
  }
  const text = asText(head)
  return text === null ? { kind: 'binary' } : { kind: 'text', text, isCut: size > head.length }
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the image cannot be read'))
    reader.readAsDataURL(blob)
  })
}
