// `drawbridge config check`: what codex does not understand of config.toml, with line, column and what was meant.
import path from 'node:path'
import { redact, redactValue } from '../../codex/index.ts'
import { type ConfigProblem, checkConfig, readWhole, targetOf } from '../../config/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { count, printJson, printLines, tell } from '../screen/index.ts'
import { type ConfigFlags, homeOf, hostOf } from './config-place.ts'
import { featureNames, withStrictCodex } from './strict-codex.ts'

export async function runCheck(flags: ConfigFlags, surroundings: Surroundings): Promise<number> {
  const { env, interrupted: signal } = surroundings
  const home = homeOf(flags, surroundings)
  const file = path.join(home, 'config.toml')
  const text = readWhole(targetOf(file))
  const { path: codexPath } = await hostOf({ home, codex: flags.codex, env }).inspect({ signal })
  const place = { codexPath, env, signal }
  const features = await featureNames(place)
  const { problems, isCut } = await withStrictCodex(place, (strict) =>
    checkConfig(text ?? '', { strict, features }),
  )
  if (flags.json) printJson(surroundings, redactValue({ file, ok: problems.length === 0, problems, isCut }))
  else {
    printLines(
      surroundings,
      problems.map((problem) => redact(problemLine(file, problem))),
    )
    if (isCut) tell(surroundings, 'There may be more: mend these and check again.')
    else if (text === null) tell(surroundings, `There is no ${file}: Codex uses its defaults.`)
    else
      tell(
        surroundings,
        problems.length === 0 ? `${file}: Codex understands all of it.` : count(problems.length, 'problem'),
      )
  }
  return problems.length === 0 ? EXIT.done : EXIT.failed
}

function problemLine(
  file: string,
  { line, column, detail, suggestion, kind, path: keys }: ConfigProblem,
): string {
  const place = line === null ? file : `${file}:${line}:${column}`
  const what = kind === 'unknown-key' && keys.length > 0 ? `Codex knows no ${keys.join('.')}` : detail
  return `${place}: ${what}${suggestion === null ? '' : `; did you mean ${suggestion}?`}`
}
