// What stands between a question and a person: the rules of its task, the standing rules of everyone, the preset.
import { type Judging, PRESETS, parseRuleText, type Rule } from '../../codex/index.ts'
import { type Db, labelsOf, listRules, type StoredTask } from '../../store/index.ts'
import { toRule } from '../model/index.ts'

/** All that a question is judged by but the paths, which are looked up where the task works. */
export type RulesInForce = Omit<Judging, 'paths'>

/** Read from the store each time: a rule that was added or revoked by any worker counts from then on. */
export async function judgingOf(
  db: Db,
  { id, rules, preset, cwd, host }: Pick<StoredTask, 'id' | 'rules' | 'preset' | 'cwd' | 'host'>,
  { now }: Pick<Judging, 'now'>,
): Promise<RulesInForce> {
  const own = (JSON.parse(rules) as string[]).flatMap((text) => parseRuleText(text).rule ?? [])
  const presets = PRESETS[preset as keyof typeof PRESETS]
  const standing = (await standingRules(db)).filter((rule) => host === null || isFor(rule, host))
  const all = [...own, ...standing, ...presets]
  return { now, labels: labelsOn(host, await labelsOf(db, id)), rules: all, workspaceRoots: [cwd] }
}

async function standingRules(db: Db): Promise<Rule[]> {
  const rows = await listRules(db, { revoked: false })
  return rows.map(toRule).flatMap(({ id, text, expiresAt }) => {
    const { rule } = parseRuleText(text)
    return rule ? [{ ...rule, id, title: `"${text}"`, ...(expiresAt !== null && { expiresAt }) }] : []
  })
}

/** What a standing rule allows it allows on this machine, and on hosts that it names by their label. */
function isFor({ answer, match }: Rule, host: string): boolean {
  return answer !== 'allow' || match.labels?.includes(`host:${host}`) === true
}

/** The host is a label of its tasks, and of no others. */
function labelsOn(host: string | null, labels: readonly string[]): string[] {
  const own = labels.filter((label) => !label.startsWith('host:'))
  return host === null ? own : [...own, `host:${host}`]
}
