import type { PermissionPart } from '../../../src/codex/requests/permission-parts.ts'
import { Exact } from '../ui/exact.tsx'
import { OutputBlock } from '../ui/output-block.tsx'
import { type Grant, isTickable } from './use-grant.ts'

const TEXT = { network: 'Use the network', read: 'Read', write: 'Write', deny: 'Except' }

/** What codex asks for, thing by thing. Only what is ticked is granted. */
export function PermissionsForm({
  permissions,
  grant,
  isOpen,
}: {
  readonly permissions: unknown
  readonly grant: Grant
  readonly isOpen: boolean
}) {
  const { parts, ticked, toggle } = grant
  if (!parts.some(isTickable))
    return <OutputBlock isWhole label="Permissions asked for" text={JSON.stringify(permissions, null, 2)} />
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-[13px] text-soft">
        {isOpen ? 'Untick what should not be allowed' : 'What it asked for'}
      </legend>
      {parts.map((part) =>
        isOpen && isTickable(part) ? (
          <label key={part.label} className="flex items-start gap-2 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={ticked.has(part)}
              onChange={() => toggle(part)}
            />
            <PartText part={part} />
          </label>
        ) : (
          <p key={part.label} className="flex text-sm">
            <PartText part={part} />
          </p>
        ),
      )}
      {isOpen && ticked.size === 0 && (
        <p className="text-[13px] text-wait">Nothing is ticked: tick something to allow it, or deny.</p>
      )}
    </fieldset>
  )
}

function PartText({ part: { access, label } }: { readonly part: PermissionPart }) {
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {TEXT[access] ?? access}{' '}
      {access !== 'network' && (
        <code>
          <Exact text={label.slice(access.length + 1)} />
        </code>
      )}
    </span>
  )
}
