// What stands between a question and a person: the rules of its task, the standing rules of everyone, the preset.
import { type Judging, PRESETS, parseRuleText, type Rule } from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import type { StandingRule } from '../model/index.ts'

export class Gate {
  #standing: readonly Rule[] = []

  /** Whenever a rule is added or revoked. */
  setStanding(rules: readonly StandingRule[]): void {
    this.#standing = rules.flatMap(({ id, text, expiresAt }) => {
      const { rule } = parseRuleText(text)
      return rule ? [{ ...rule, id, title: `"${text}"`, ...(expiresAt !== null && { expiresAt }) }] : []
    })
  }

  judging(
    row: Pick<StoredTask, 'rules' | 'preset' | 'cwd'>,
    rest: Pick<Judging, 'now' | 'resolve'> & { labels: readonly string[] },
  ): Judging {
    const own = (JSON.parse(row.rules) as string[]).flatMap((text) => parseRuleText(text).rule ?? [])
    const rules = [...own, ...this.#standing, ...PRESETS[row.preset as keyof typeof PRESETS]]
    return { ...rest, rules, workspaceRoots: [row.cwd] }
  }
}
