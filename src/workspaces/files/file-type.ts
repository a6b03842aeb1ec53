// What kind of file it is, by its first bytes, and only where those say nothing by its name. What a browser claims does
// not count.

/** So much of a file is enough. */
export const HEAD_BYTES = 512

const MAGIC: readonly (readonly [type: string, bytes: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
  ['application/zip', /^PK(?:\x03\x04|\x05\x06)/],
  ['application/gzip', /^\x1f\x8b/],
  ['application/zstd', /^\x28\xb5\x2f\xfd/],
  ['application/x-7z-compressed', /^7z\xbc\xaf\x27\x1c/],
  ['application/x-xz', /^\xfd7zXZ\x00/],
  ['application/x-executable', /^(?:\x7fELF|MZ[\s\S]{58}|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/],
  ['application/vnd.sqlite3', /^SQLite format 3\x00/],
  ['video/mp4', /^[\s\S]{4}ftyp/],
  ['audio/mpeg', /^ID3/],
]

const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  css: 'text/css',
  htm: 'text/html',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

export function fileType(name: string, head: Uint8Array): string {
  const bytes = Buffer.from(head.subarray(0, HEAD_BYTES))
  const latin = bytes.toString('latin1')
  const known = MAGIC.find(([, magic]) => magic.test(latin))
  if (known) return known[0]
  if (!isText(bytes)) return 'application/octet-stream'
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return TEXT_TYPES[ending] ?? 'text/plain'
}

/** `image/*`, `text/csv`, `.parquet`: by type, or by the end of the name. */
export function isAllowed(
  patterns: readonly string[],
  file: { readonly name: string; readonly type: string },
): boolean {
  return patterns.some((pattern) => {
    if (pattern.startsWith('.')) return file.name.toLowerCase().endsWith(pattern.toLowerCase())
    return pattern.endsWith('/*') ? file.type.startsWith(pattern.slice(0, -1)) : file.type === pattern
  })
}

/** UTF-8 without NUL; the last character may be cut off. */
function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
