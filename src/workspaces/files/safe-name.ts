// A name for an uploaded file that is harmless in a path, in a shell, in a list and on other systems. Letters of all
// scripts stay.

const MAX_BYTES = 200
/** Windows knows them in every folder and with every ending. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i

export function safeName(given: string): string {
  const base = given.normalize('NFC').split(/[/\\]/).at(-1)!
  const clean = base
    // Control characters, and those that are not seen or turn the direction of the text.
    .replace(/\p{C}/gu, '')
    .replace(/[\p{Zl}\p{Zp}\p{Zs}]+/gu, ' ')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.\-~]+/, '')
    .replace(/[\s.]+$/, '')
  if (clean === '') return 'file'
  const [stem] = clean.split('.', 1)
  return cut(RESERVED.test(stem!.trim()) ? `_${clean}` : clean, MAX_BYTES)
}

/** `report (2).pdf`: the name for the second file of that name. */
export function numbered(name: string, count: number): string {
  if (count === 1) return name
  const { stem, ending } = parted(name)
  return cut(`${stem} (${count})${ending}`, MAX_BYTES + 20)
}

/** The ending stays, the end of the rest goes. */
function cut(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const { stem, ending } = parted(name)
  let left = maxBytes - Buffer.byteLength(ending)
  let kept = ''
  for (const character of stem) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return `${kept.trimEnd()}${ending}`
}

function parted(name: string): { stem: string; ending: string } {
  const [ending = ''] = /(?:\.tar)?\.[^.\s]{1,20}$/i.exec(name) ?? []
  return { stem: name.slice(0, name.length - ending.length), ending }
}
