import type { Migration } from 'kysely/migration'
import { first } from './001-first.ts'
import { usage } from './002-usage.ts'
import { shortResults } from './003-short-results.ts'
import { workers } from './004-workers.ts'
import { fleet } from './005-fleet.ts'
import { frames } from './006-frames.ts'
import { feed } from './007-feed.ts'
import { doors } from './008-doors.ts'
import { upkeep } from './009-upkeep.ts'
import { indexes } from './010-indexes.ts'
import { callers } from './011-callers.ts'
import { tools } from './012-tools.ts'
import { hosts } from './013-hosts.ts'
import { accounts } from './014-accounts.ts'
import { accountPools } from './015-account-pools.ts'
import { workspaces } from './016-workspaces.ts'
import { workspaceHosts } from './017-workspace-hosts.ts'
import { snapshots } from './018-snapshots.ts'
import { deliverables } from './020-deliverables.ts'
import { uploads } from './021-uploads.ts'
import { hooks } from './022-hooks.ts'
import { workspaceParts } from './023-workspace-parts.ts'

/** In this order, each once. A name that has been released is never changed, and neither is what it does. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-first': first,
  '002-usage': usage,
  '003-short-results': shortResults,
  '004-workers': workers,
  '005-fleet': fleet,
  '006-frames': frames,
  '007-feed': feed,
  '008-doors': doors,
  '009-upkeep': upkeep,
  '010-indexes': indexes,
  '011-callers': callers,
  '012-tools': tools,
  '013-hosts': hosts,
  '014-accounts': accounts,
  '015-account-pools': accountPools,
  '016-workspaces': workspaces,
  '017-workspace-hosts': workspaceHosts,
  '018-snapshots': snapshots,
  '020-deliverables': deliverables,
  '021-uploads': uploads,
  '022-hooks': hooks,
  '023-workspace-parts': workspaceParts,
}
