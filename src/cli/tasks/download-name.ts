import type { Deliverable } from '../../api/index.ts'

/** The name under which a deliverable is written here. A model has chosen it: only a plain name, and never a hidden file. */
export function downloadName({ name, number }: Pick<Deliverable, 'name' | 'number'>): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}/\\:]/gu, '_')
  if (/^\.{0,2}$/.test(plain) || plain.startsWith('-')) return `deliverable-${number}`
  return plain.startsWith('.') ? `deliverable-${number}${plain}` : plain
}
