import type { Host } from '../api/contract.ts'
import { sentence } from '../tasks/task-summary.ts'
import { bytesText } from '../ui/age-text.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Exact } from '../ui/exact.tsx'
import { TONES } from '../ui/status-pill.tsx'

type Ssh = NonNullable<Host['ssh']>

/** Looking only: adding a host, confirming its key and removing it need the command line. */
export function SshHostRow({ host: { id, ssh } }: { readonly host: Host }) {
  if (ssh === null) return null
  const { destination, labels, jump, keys, problem } = ssh
  const [tone, text] = keys.length > 0 ? KEY_UNKNOWN : LOOKS[ssh.state]
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3 text-sm">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{id}</span>
        <span className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${tone}`}>{text}</span>
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-soft [overflow-wrap:anywhere]">
        <span>
          <Exact text={destination} />
        </span>
        {jump !== null && (
          <span>
            through <Exact text={jump} />
          </span>
        )}
        <span>{codexText(ssh)}</span>
        {labels.length > 0 && <span>{labels.join(', ')}</span>}
      </div>
      {problem !== null && <Trouble name={id} problem={problem} toDo={ssh.toDo} />}
    </li>
  )
}

function codexText({ upload, codexVersion }: Ssh): string {
  if (upload !== null)
    return `codex on its way: ${bytesText(upload.sentBytes)} of ${bytesText(upload.totalBytes)}`
  return codexVersion === null ? 'codex not started yet' : `codex ${codexVersion}`
}

function Trouble({ name, problem, toDo }: { readonly name: string } & Pick<Ssh, 'problem' | 'toDo'>) {
  const command = `drawbridge host check ${name}`
  return (
    <>
      <div className="rounded-lg bg-bad-wash px-3 py-2 text-[13px] text-bad [overflow-wrap:anywhere]">
        <p>
          <Exact text={sentence(problem ?? '')} />
        </p>
        {toDo !== null && <p>To do: {toDo}.</p>}
      </div>
      <p className="flex flex-wrap items-center gap-x-1 text-[13px] text-soft">
        On the machine of the service: <code className="text-ink">{command}</code>
        <CopyButton text={command} label="Copy the command" />
      </p>
    </>
  )
}

const KEY_UNKNOWN = [TONES.bad, 'Key not confirmed'] as const

const LOOKS: Readonly<Record<Ssh['state'], readonly [tone: string, text: string]>> = {
  idle: [TONES.calm, 'Not connected'],
  closed: [TONES.calm, 'Not connected'],
  connecting: [TONES.busy, 'Connecting'],
  connected: [TONES.good, 'Connected'],
  retrying: [TONES.wait, 'Connecting again'],
  broken: [TONES.bad, 'Cannot be reached'],
}
