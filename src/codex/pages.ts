import type { ClientMethod, ClientParams, ClientResult } from './protocol/index.ts'

/** Methods that answer in pages. */
export type PagedMethod = {
  [M in ClientMethod]: ClientResult<M> extends { data: unknown[]; nextCursor: string | null } ? M : never
}[ClientMethod]

export type PageItem<M extends PagedMethod> = ClientResult<M> extends { data: (infer Item)[] } ? Item : never

/** Every item of every page, asked for as you go. Stops when codex repeats a cursor. */
export async function* everyItem<M extends PagedMethod>(
  readPage: (params: ClientParams<M>) => Promise<ClientResult<M>>,
  params: ClientParams<M>,
): AsyncGenerator<PageItem<M>, void> {
  const seen = new Set<string>()
  for (let cursor: string | null = null; ; ) {
    const page: Page<M> = (await readPage({ ...Object(params), ...(cursor !== null && { cursor }) })) as never
    yield* page.data
    cursor = page.nextCursor ?? null
    if (cursor === null || seen.has(cursor)) return
    seen.add(cursor)
  }
}

interface Page<M extends PagedMethod> {
  readonly data: readonly PageItem<M>[]
  readonly nextCursor: string | null
}
