// `drawbridge config check`: what codex does not understand of config.toml, with line, column and what was meant.
import path from 'node:path'
import { redact, redactValue } from '../../codex/index.ts'
import { type ConfigCheck, type ConfigProblem, checkConfig, readWhole, targetOf } from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { count, printJson, printLines, tell } from '../screen/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { type ConfigFlags, homeOf, hostOf } from './config-place.ts'
import { featureNames, withStrictCodex } from './strict-codex.ts'

export async function runCheck(flags: ConfigFlags, surroundings: Surroundings): Promise<number> {
  const home = homeOf(flags, surroundings)
  const file = path.join(home, 'config.toml')
  const text = readWhole(targetOf(file))
  const { problems, isCut } = await checkText(
    text ?? '',
    { ...flags, home, codex: flags.codex },
    surroundings,
  )
  if (flags.json) printJson(surroundings, redactValue({ file, ok: problems.length === 0, problems, isCut }))
  else {
    printLines(
      surroundings,
      problems.map((problem) => redact(problemLine(file, problem))),
    )
    if (isCut) tell(surroundings, 'There may be more: mend these and check again.')
    else if (text === null) tell(surroundings, `There is no ${file}: Codex uses its defaults.`)
    else if (problems.length > 0) tell(surroundings, count(problems.length, 'problem'))
    else tell(surroundings, `${file}: Codex understands all of it.`)
  }
  return problems.length === 0 ? EXIT.done : EXIT.failed
}

/** What this codex does not understand of a config.toml. */
export async function checkText(
  text: string,
  { home, codex, ...flags }: ServiceFlags & { home: string; codex: string | undefined },
  surroundings: Surroundings,
): Promise<ConfigCheck> {
  const { env, interrupted: signal } = surroundings
  const { path: codexPath } = await hostOf({ home, codex, env }).inspect({ signal })
  const copies = path.join(dataDirOf(flags, surroundings), 'config-check')
  const place = { codexPath, env, signal, copies }
  const features = await featureNames(place)
  return withStrictCodex(place, (strict) => checkConfig(text, { strict, features }))
}

function problemLine(file: string, problem: ConfigProblem): string {
  const { line, column } = problem
  return `${line === null ? file : `${file}:${line}:${column}`}: ${problemText(problem)}`
}

export function problemText({ detail, suggestion, kind, path: keys }: ConfigProblem): string {
  const what = kind === 'unknown-key' && keys.length > 0 ? `Codex knows no ${keys.join('.')}` : detail
  return `${what}${suggestion === null ? '' : `; did you mean ${suggestion}?`}`
}
