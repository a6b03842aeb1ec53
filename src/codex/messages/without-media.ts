const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100},/

/** Pictures and sound, in place of their bytes: a chat message is for reading. */
export function withoutMedia(text: string): string {
  const [head, media] = DATA_URL.exec(text) ?? []
  return head === undefined ? text : `[${media ?? 'data'}, ${text.length - head.length} characters]`
}
