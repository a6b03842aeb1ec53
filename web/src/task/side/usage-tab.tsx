import { useMemo } from 'react'
import type { Task } from '../../api/contract.ts'
import type { Facts } from '../../transcript/facts.ts'
import { countText } from '../../ui/age-text.ts'
import { Panel } from '../../ui/panel.tsx'
import { Plot } from '../../ui/plot.tsx'
import { FactList } from './fact-list.tsx'
import { RateLimits } from './rate-limits.tsx'

interface Props {
  readonly task: Task
  readonly facts: Facts
  /** Changes when a turn is added. */
  readonly tokenCount: number
}

const turnText = (turn: number) => (Number.isInteger(turn) && turn > 0 ? String(turn) : '')

export function UsageTab({ task, facts, tokenCount }: Props) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: facts are added to in place; the count tells when.
  const turns = useMemo(() => [...facts.tokens.values()], [facts, tokenCount, task.usage])
  const xs = useMemo(() => turns.map((_, index) => index + 1), [turns])
  const parts = useMemo(
    () => [
      { name: 'out', color: '--accent', values: turns.map(({ output }) => output) },
      { name: 'in', color: '--busy', values: turns.map(({ input }) => input) },
    ],
    [turns],
  )
  const { usage } = task
  return (
    <div className="flex flex-col gap-3">
      <Panel
        title="Tokens by turn"
        aside={usage && <span className="text-[13px] text-soft">{countText(usage.totalTokens)} in all</span>}
      >
        <div className="p-3">
          {turns.length === 0 ? (
            <p className="text-[13px] text-soft">Codex has not said yet what it used.</p>
          ) : (
            <Plot
              label={`Tokens by turn: ${turns.map(({ input, output }) => input + output).join(', ')}`}
              xs={xs}
              parts={parts}
              xText={turnText}
              yText={countText}
            />
          )}
        </div>
      </Panel>
      {usage && (
        <Panel title="All turns">
          <div className="p-4">
            <FactList
              facts={[
                ['In', usage.inputTokens.toLocaleString()],
                ['of it cached', usage.cachedInputTokens.toLocaleString()],
                ['Out', usage.outputTokens.toLocaleString()],
                ['of it reasoning', usage.reasoningOutputTokens.toLocaleString()],
                [
                  'Context',
                  facts.contextWindow && facts.contextTokens !== null
                    ? `${countText(facts.contextTokens)} of ${countText(facts.contextWindow)}`
                    : '',
                ],
              ]}
            />
          </div>
        </Panel>
      )}
      <RateLimits />
    </div>
  )
}
