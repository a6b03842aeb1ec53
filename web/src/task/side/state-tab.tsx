import type { Task } from '../../api/contract.ts'
import { DeliverablesPanel } from '../../handover/deliverables-panel.tsx'
import { sentence } from '../../tasks/task-summary.ts'
import { FolderTrust } from '../../trust/folder-trust.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusPill } from '../../ui/status-pill.tsx'
import { Ago } from '../../ui/time.tsx'
import { AccountFact } from './account-fact.tsx'
import { FactList, plain } from './fact-list.tsx'
import { FamilyPanel } from './family-panel.tsx'

/** What is known of the task, and what that rests on. */
export function StateTab({ task }: { readonly task: Task }) {
  const { failure, evidence, policy, effectivePolicy } = task
  return (
    <>
      <Panel title="State" aside={<StatusPill task={task} />}>
        <div className="flex flex-col gap-2 p-4">
          <p className="text-sm">{sentence(task.reason)}</p>
          {failure?.hint && !task.reason.includes(failure.hint) && (
            <p className="rounded-lg bg-bad-wash px-3 py-2 text-[13px] text-bad">{sentence(failure.hint)}</p>
          )}
          <FactList
            facts={Object.entries(evidence).map(([name, value]) => [
              name,
              value === null ? '' : plain(value),
            ])}
          />
        </div>
      </Panel>
      <DeliverablesPanel task={task} />
      <Panel title="Policy in force">
        <div className="p-4">
          <FactList facts={policyFacts(task)} />
          {effectivePolicy === null && (
            <p className="mt-2 text-xs text-soft">Asked for; codex has not said yet what is in force.</p>
          )}
          {policy.developerInstructions && <p className="mt-2 text-[13px]">{policy.developerInstructions}</p>}
        </div>
      </Panel>
      <FamilyPanel task={task} />
      <Panel title="Task">
        <div className="flex flex-col gap-2 p-4">
          {task.host === null && <FolderTrust cwd={task.cwd} codexHome={task.codexHome} isFolded />}
          <FactList
            facts={[
              ['Host', task.host],
              ['Folder', <code key="cwd">{task.cwd}</code>],
              ['Workspace', workspaceText(task)],
              ['Worker', task.worker?.name],
              ['Run on', task.on],
              ['Account', task.account && <AccountFact key="account" task={task} />],
              ['At its limit', task.account && limitText(task)],
              ['If the worker is lost', lossText(task)],
              ['Started by', task.createdBy && `the token ${task.createdBy.name}`],
              ['Labels', task.labels.join(', ')],
              ['Tools', task.tools.join(', ')],
              ['Tells', task.notify.join(', ')],
              ['Started', task.startedAt && <Ago at={task.startedAt} />],
              ['Ended', task.endedAt && <Ago at={task.endedAt} />],
              ['Turns', task.turnCount],
              ['Forked from', task.forkedFrom],
              ['Id', <Id key="id" text={task.id} />],
              ['Thread', task.threadId && <Id text={task.threadId} />],
            ]}
          />
        </div>
      </Panel>
    </>
  )
}

/** Empty: a folder of the user's. */
function workspaceText({ workspace }: Task): string {
  if (!workspace) return ''
  const { kind, source, branch, from, parts } = workspace
  if (kind === 'scratch') return 'an empty folder'
  const also = parts.map((part) => `; also ${part.folder}, of ${part.source}`).join('')
  return `a ${kind} of ${source}, on ${branch}${from === null ? '' : `, from ${from}`}${also}`
}

/** Only where there is something to lose. */
function lossText({ worker, on, onLost }: Task): string {
  if (worker === null && on === null) return ''
  return onLost === 'fail' ? 'the task ends as lost' : 'the task waits for it'
}

function limitText({ onLimit }: Task): string {
  if (onLimit === null) return ''
  return onLimit === 'switch' ? 'it goes on with another of the pool' : 'it waits'
}

function Id({ text }: { readonly text: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="truncate">{text}</code>
      <CopyButton text={text} label="Copy the id" />
    </span>
  )
}

function allowText(allow: unknown): string {
  const paths = Array.isArray(allow) ? (allow as readonly { access?: string; path?: string }[]) : []
  return paths.map(({ access, path }) => `${access}:${path}`).join('\n')
}

/** What codex said is in force, and what was asked for where that is something else. */
function policyFacts({
  policy,
  effectivePolicy,
  preset,
  rules,
  approvalTimeoutMs,
}: Task): [string, string][] {
  const asked = policy as Readonly<Record<string, unknown>>
  const inForce = effectivePolicy ?? asked
  const facts = Object.entries(inForce)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]): [string, string] => {
      const differs =
        name in asked && typeof asked[name] === 'string' && typeof value === 'string' && asked[name] !== value
      const text = name === 'allow' ? allowText(value) : plain(value)
      return [name, text + (differs ? ` (asked for: ${plain(asked[name])})` : '')]
    })
  return [
    ...facts,
    ['preset', preset],
    ['rules', rules.join('\n')],
    ['no after', approvalTimeoutMs === null ? '' : `${approvalTimeoutMs / 1000} s without an answer`],
  ]
}
