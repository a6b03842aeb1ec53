// The approvals of threads made before `thread/start` existed. No version sends them for threads of ours.
import { isAtLeast, type protocol } from '../protocol/index.ts'
import type { Facts, Family } from './family.ts'

type Decision = protocol.ReviewDecision

const WHY = 'nobody approved it'

/** Up to 0.142 a denial is the bare word; later versions want to know why. */
function denied({ codexVersion }: Facts): Decision {
  const wantsReason = codexVersion === null || isAtLeast(codexVersion, '0.143.0')
  return wantsReason ? { denied: { rejection: WHY } } : ('denied' as unknown as Decision)
}

export const legacyPatch: Family<'applyPatchApproval'> = {
  refuse: (_, facts) => ({ decision: denied(facts) }),
}
export const legacyCommand: Family<'execCommandApproval'> = {
  refuse: (_, facts) => ({ decision: denied(facts) }),
}
