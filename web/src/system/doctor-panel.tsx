import { useDoctor } from '../api/queries.ts'
import { asParams, listOf, textOf } from '../transcript/params.ts'
import { Panel } from '../ui/panel.tsx'
import { TONES } from '../ui/status-pill.tsx'

const LOOKS: Readonly<Record<string, string>> = { ok: TONES.good, warning: TONES.wait, failed: TONES.bad }

/** What `drawbridge doctor` finds, where the service can tell. */
export function DoctorPanel() {
  const { data } = useDoctor()
  const checks = listOf(asParams(data).checks)
  if (checks.length === 0) return null
  return (
    <Panel title="Doctor">
      <ul className="divide-y divide-line">
        {checks.map((check) => (
          <li
            key={String(check.name)}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5 text-sm"
          >
            <span
              className={`rounded-md px-1.5 py-0.5 text-xs font-medium ${LOOKS[String(check.status)] ?? TONES.calm}`}
            >
              {String(check.status)}
            </span>
            <span className="font-medium">{String(check.name)}</span>
            <span className="text-[13px] text-soft">
              {[textOf(check.message), textOf(check.hint)].filter(Boolean).join(' ')}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
