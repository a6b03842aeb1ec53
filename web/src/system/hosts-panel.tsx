import type { Host } from '../api/contract.ts'
import { useHosts } from '../api/queries.ts'
import { bytesText } from '../ui/age-text.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Panel } from '../ui/panel.tsx'
import { TONES } from '../ui/status-pill.tsx'
import { Ago } from '../ui/time.tsx'
import { SshHostRow } from './ssh-host-row.tsx'

type AppServer = Host['appServers'][number]

/** Where codex runs, and the other machines that tasks can run on. */
export function HostsPanel() {
  const { data, error } = useHosts()
  const local = data?.items.filter(({ kind }) => kind === 'local')
  const others = data?.items.filter(({ kind }) => kind === 'ssh') ?? []
  return (
    <>
      <ErrorNote error={error} />
      {local?.map((host) => (
        <Panel
          key={host.id}
          title={<>Host {host.id}</>}
          aside={<span className="text-[13px] text-soft">{host.kind}</span>}
        >
          {host.appServers.length === 0 ? (
            <p className="px-4 py-3 text-sm text-soft">
              No app-server runs; one is started with the next turn.
            </p>
          ) : (
            <ul className="divide-y divide-line">
              {host.appServers.map((appServer) => (
                <AppServerRow key={appServer.id} appServer={appServer} />
              ))}
            </ul>
          )}
        </Panel>
      ))}
      {others.length > 0 && (
        <Panel title="Hosts over SSH">
          <ul aria-label="Hosts over SSH" className="divide-y divide-line">
            {others.map((host) => (
              <SshHostRow key={host.id} host={host} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

const TONE = { running: TONES.good, starting: TONES.busy, draining: TONES.wait }

function AppServerRow({ appServer }: { readonly appServer: AppServer }) {
  const { codexVersion, pid, memoryBytes, holds, state, startedAt, key, threads } = appServer
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-1 px-4 py-3 text-sm">
      <span className="font-medium">codex {codexVersion ?? '(unknown)'}</span>
      <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${TONE[state]}`}>{state}</span>
      <span className="text-soft">
        {threads === 1 ? '1 thread' : `${threads} threads`}
        {holds > 0 && `, ${holds} in use`}
      </span>
      {memoryBytes !== null && <span className="text-soft">{bytesText(memoryBytes)}</span>}
      <span className="text-soft">
        since <Ago at={startedAt} suffix="" />
      </span>
      {key.execHost !== null && <span className="text-soft">for host {key.execHost}</span>}
      {pid !== null && <span className="text-soft">pid {pid}</span>}
      {key.codexHome && <code className="w-full truncate text-xs text-soft">{key.codexHome}</code>}
    </li>
  )
}
