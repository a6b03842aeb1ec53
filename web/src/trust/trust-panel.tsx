import { useMutation } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { TrustedFolder, TrustList } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'
import { exactText } from './exact-text.ts'
import { refreshTrust, useTrustList } from './use-trust.ts'

export function TrustPanel() {
  const { data, error } = useTrustList()
  return (
    <Panel title="Trusted folders">
      {error && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      {data && <Folders list={data} />}
      {data && <Protected paths={data.protectedPaths} />}
    </Panel>
  )
}

function Folders({ list: { folders, codexFolders } }: { readonly list: TrustList }) {
  if (folders.length + codexFolders.length === 0)
    return (
      <p className="px-4 py-3 text-sm text-soft">
        No folder is trusted. Codex works in a tight sandbox everywhere, and starts nothing a project names.
      </p>
    )
  return (
    <ul className="divide-y divide-line">
      {folders.map((folder) => (
        <FolderRow key={folder.root} folder={folder} />
      ))}
      {codexFolders.map(({ folder, trust }) => (
        <li key={folder} className="px-4 py-2.5">
          <code className="[overflow-wrap:anywhere]">{exactText(folder)}</code>
          <p className="text-xs text-soft">{trust} in Codex’s own config.toml, which only you change</p>
        </li>
      ))}
    </ul>
  )
}

function FolderRow({ folder: { root, by, trustedAt } }: { readonly folder: TrustedFolder }) {
  const revoke = useMutation({ mutationFn: () => calls.trust.revoke(root), onSettled: refreshTrust })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <code className="[overflow-wrap:anywhere]">{exactText(root)}</code>
        <p className="text-xs text-soft">
          trusted by {by}, <Ago at={trustedAt} />
        </p>
      </div>
      <Button
        size="small"
        tone="danger"
        disabled={revoke.isPending}
        aria-label={`Revoke trust in ${exactText(root)}`}
        onClick={() => revoke.mutate()}
      >
        Revoke
      </Button>
      <ErrorNote error={revoke.error} />
    </li>
  )
}

function Protected({ paths }: { readonly paths: readonly string[] }) {
  return (
    <details className="border-t border-line px-4 py-3">
      <summary className="text-[13px] font-medium">
        {paths.length} paths that commands in untrusted folders cannot read
      </summary>
      <ul className="mt-2 columns-1 gap-6 sm:columns-2">
        {paths.map((each) => (
          <li key={each}>
            <code className="text-xs [overflow-wrap:anywhere]">{exactText(each)}</code>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-soft">
        <code>protectedPaths</code> in settings.json changes the list.
      </p>
    </details>
  )
}
