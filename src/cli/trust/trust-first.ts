// Before a run in a folder that names something of its own: whoever is there is asked, everybody else is told.
import type { Settings } from '../../config/index.ts'
import { actorName, asTyped, type Surroundings } from '../process/index.ts'
import { Keyboard } from '../prompts/index.ts'
import type { Terminal } from '../screen/index.ts'
import { askTrust } from './ask-trust.ts'
import { TrustPlace } from './trust-door.ts'

interface TrustFirst {
  readonly cwd: string
  readonly codexHome: string | null
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly settings: Pick<Settings, 'protectedPaths'>
}

/** Keys that were meant for something else must not answer. */
const DEAF_MS = 300

/** False: the person wants to stop here. */
export async function trustFirst(
  { cwd, codexHome, dataDir, env, settings }: TrustFirst,
  {
    asking,
    tell,
  }: {
    /** null: nobody is there to be asked. */
    asking: { readonly terminal: Terminal; readonly surroundings: Surroundings } | null
    tell: (line: string) => void
  },
): Promise<boolean> {
  const { protectedPaths } = settings
  const place = new TrustPlace({ dataDir, env, protectedPaths, now: Date.now })
  const seen = place.look({ cwd, codexHome })
  if (seen === null || seen.trust.state === 'trusted' || seen.look.layers.length === 0) return true
  if (asking === null) {
    tell(
      asTyped('untrusted folder: what its .codex names is not started; look at it with `drawbridge trust`'),
    )
    return true
  }
  const { terminal, surroundings } = asking
  const keyboard = new Keyboard(surroundings)
  const { interrupted } = surroundings
  const choice = await askTrust(seen.look, seen.trust, { terminal, keyboard, interrupted, deafMs: DEAF_MS })
  if (choice !== 'trust') return choice === 'untrusted'
  const isSame = place.look({ cwd, codexHome })?.look.digest === seen.look.digest
  if (isSame) place.trust(seen.look, actorName())
  else tell('not trusted: what it would start changed meanwhile; this run goes on without')
  return true
}
