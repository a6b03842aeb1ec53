import type { ReactNode } from 'react'
import type { ProjectLayer, ProjectLook } from '../api/contract.ts'
import { commandLine, exactText } from './exact-text.ts'

/** Everything the repository names, whole. */
export function ProjectContents({ look }: { readonly look: ProjectLook }) {
  if (look.layers.length === 0)
    return (
      <p className="text-[13px] text-soft">
        The project names nothing of its own: no MCP servers, hooks, rules or Codex settings.
      </p>
    )
  return look.layers.map((layer) => <Layer key={layer.folder} layer={layer} />)
}

function Layer({ layer }: { readonly layer: ProjectLayer }) {
  const { mcpServers, hooks, rules, agents, settings, problem } = layer
  return (
    <section aria-label={exactText(layer.folder)} className="flex flex-col gap-2.5">
      <Exact text={layer.folder} className="text-xs text-soft" />
      {problem !== null && (
        <p role="alert" className="rounded-lg bg-bad-wash px-3 py-2 text-[13px] text-bad">
          Cannot be shown whole, and so not be trusted: <Exact text={problem} />
        </p>
      )}
      <Group title={`MCP servers (${mcpServers.length}), run outside the sandbox`} of={mcpServers}>
        {mcpServers.map(({ name, command, args, url, envNames }) => (
          <Row
            key={name}
            name={name}
            note={envNames.length > 0 && `with ${envNames.map(exactText).join(', ')}`}
          >
            {command !== null && <Line text={commandLine([command, ...args])} />}
            {url !== null && <Line text={`connects to ${exactText(url)}`} />}
            {command === null && url === null && <Line text="(no command)" />}
          </Row>
        ))}
      </Group>
      <Group title={`Hooks (${hooks.length}), run outside the sandbox`} of={hooks}>
        {numbered(hooks).map(({ key, value: { event, command, file } }) => (
          <Row key={key} name={event} note={exactText(file)}>
            <Line text={exactText(command)} />
          </Row>
        ))}
      </Group>
      <Group title="Rules for commands" of={rules}>
        {rules.map((file) => (
          <Line key={file} text={exactText(file)} />
        ))}
      </Group>
      <Group title="Sub-agents" of={agents}>
        {agents.map((file) => (
          <Line key={file} text={exactText(file)} />
        ))}
      </Group>
      <Group title={`Settings (${settings.length})`} of={settings}>
        {numbered(settings).map(({ key, value: setting }) => (
          <Line key={key} text={`${exactText(setting.key)} = ${exactText(setting.value)}`} />
        ))}
      </Group>
    </section>
  )
}

/** The same hook can be named twice. */
function numbered<T>(values: readonly T[]): { key: string; value: T }[] {
  return values.map((value, index) => ({ key: String(index), value }))
}

interface GroupProps {
  readonly title: string
  readonly of: readonly unknown[]
  readonly children: ReactNode
}

function Group({ title, of, children }: GroupProps) {
  if (of.length === 0) return null
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-[13px] font-medium">{title}</h4>
      <div className="flex flex-col gap-1.5">{children}</div>
    </div>
  )
}

interface RowProps {
  readonly name: string
  readonly note: string | false
  readonly children: ReactNode
}

function Row({ name, note, children }: RowProps) {
  return (
    <div className="flex flex-col gap-0.5">
      <p className="text-xs text-soft">
        <Exact text={name} className="font-medium text-ink" />
        {note && <span className="[overflow-wrap:anywhere]"> · {note}</span>}
      </p>
      {children}
    </div>
  )
}

/** Left to right whatever is in it, and wrapped rather than cut. */
function Line({ text }: { readonly text: string }) {
  return (
    <code
      dir="ltr"
      className="block rounded-md bg-sunk px-2 py-1 text-[13px] whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]"
    >
      {text}
    </code>
  )
}

function Exact({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  return (
    <code dir="ltr" className={`[overflow-wrap:anywhere] [unicode-bidi:isolate] ${className}`}>
      {exactText(text)}
    </code>
  )
}
