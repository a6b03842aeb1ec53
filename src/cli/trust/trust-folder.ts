// `drawbridge trust <folder>`: show, ask, trust what was shown.
import type { TrustLook } from '../../api/index.ts'
import { actorName, EXIT, type Surroundings } from '../process/index.ts'
import { Keyboard } from '../prompts/index.ts'
import { printJson, printLines, Terminal, visibleLine } from '../screen/index.ts'
import { confirmTrust } from './ask-trust.ts'
import { trustCardLines, whyNotTrustable } from './trust-card.ts'
import type { TrustPlace } from './trust-door.ts'
import { lookedAt, type TrustFlags, trustPlace } from './trust-options.ts'

/** A key that was meant for something else must not trust a folder. */
const DEAF_MS = 300

export async function trustFolder(
  folder: string | undefined,
  flags: TrustFlags,
  surroundings: Surroundings,
): Promise<number> {
  const place = await trustPlace(flags, surroundings)
  const seen = lookedAt(place, folder, flags)
  if (seen.trust.state === 'trusted') return alreadyTrusted(seen, flags, surroundings)
  const hidden = whyNotTrustable(seen.look)
  if (hidden !== null) {
    if (!flags.json) showCard(seen, surroundings)
    return refused(`this folder cannot be trusted: ${hidden}`, EXIT.failed, surroundings)
  }
  const answer = flags.yes ? 'yes' : await asked(seen, flags, surroundings)
  if (answer !== 'yes') return answer === 'no' ? EXIT.declined : EXIT.interrupted
  const isSame = lookedAt(place, folder, flags).look.digest === seen.look.digest
  if (!isSame)
    return refused(
      'not trusted: what it would start changed meanwhile; run this again',
      EXIT.failed,
      surroundings,
    )
  return trustAsSeen(place, seen, flags, surroundings)
}

function alreadyTrusted(
  { trust, look }: TrustLook,
  { json }: TrustFlags,
  surroundings: Surroundings,
): number {
  const byCodex = trust.by === 'codex' ? ", by Codex's own config.toml" : ''
  if (json) printJson(surroundings, { trusted: null, trust, look })
  else surroundings.stderr.write(`Trusted already${byCodex}: ${visibleLine(trust.root)}\n`)
  return EXIT.done
}

function trustAsSeen(
  place: TrustPlace,
  { trust, look }: TrustLook,
  flags: TrustFlags,
  surroundings: Surroundings,
): number {
  const trusted = place.trust(look, actorName())
  const now = { ...trust, state: 'trusted', by: 'drawbridge', hasChanged: false } as const
  if (flags.json) printJson(surroundings, { trusted, trust: now, look })
  else if (flags.yes) showCard({ trust: now, look }, surroundings)
  surroundings.stderr.write(`Trusted: ${visibleLine(trusted.root)}\n`)
  return EXIT.done
}

function showCard({ look, trust }: TrustLook, surroundings: Surroundings): void {
  printLines(surroundings, trustCardLines(look, trust))
}

function refused(why: string, exitCode: number, { stderr }: Surroundings): number {
  stderr.write(`drawbridge: ${why}\n`)
  return exitCode
}

/** Never yes unless a person typed it. */
async function asked(
  seen: TrustLook,
  { json }: TrustFlags,
  surroundings: Surroundings,
): Promise<'yes' | 'no' | 'interrupted'> {
  const { stdin, stderr, interrupted } = surroundings
  if (json || !stdin.isTTY || !stderr.isTTY) {
    if (!json) showCard(seen, surroundings)
    stderr.write('drawbridge: not trusted: nobody can be asked here; add --yes to trust it as shown\n')
    return 'no'
  }
  const terminal = new Terminal(surroundings)
  const keyboard = new Keyboard(surroundings)
  const isYes = await confirmTrust(seen.look, seen.trust, {
    terminal,
    keyboard,
    interrupted,
    deafMs: DEAF_MS,
  })
  if (interrupted.aborted) return 'interrupted'
  if (!isYes) stderr.write('Not trusted.\n')
  return isYes ? 'yes' : 'no'
}
