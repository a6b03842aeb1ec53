// Notices, page after page, newest first.
import type { DrawbridgeClient, Notice } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { findNoticeId } from '../tasks/index.ts'

const PAGE = 200

/** As many as there are, unless there is a limit. `hasMore` when it left some out. */
export async function listNotices(
  client: Pick<DrawbridgeClient, 'notices'>,
  filter: { readonly status?: Notice['status'] | undefined },
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly items: Notice[]; readonly hasMore: boolean }> {
  const items: Notice[] = []
  let cursor: string | undefined
  do {
    const page = await client.notices({
      ...(filter.status && { status: filter.status }),
      limit: Math.min(PAGE, limit - items.length),
      ...(cursor !== undefined && { cursor }),
    })
    items.push(...page.items)
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined && items.length < limit)
  return { items, hasMore: cursor !== undefined }
}

export async function findNotice(client: DrawbridgeClient, given: string): Promise<Notice> {
  const id = await findNoticeId(client, given)
  const { items } = await listNotices(client, {})
  const found = items.find((notice) => notice.id === id)
  if (!found) throw new DrawbridgeError(`there is no notice ${given}`, { code: 'notice-not-found' })
  return found
}
