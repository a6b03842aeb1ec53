// What a thread was asked to be allowed, what its turns are given of it, and where it works. A turn may change all three.

import type { ClientParams, protocol } from '../protocol/index.ts'
import type { NetworkAccess } from './access.ts'
import { accessPartOf, isHeld } from './own-profiles.ts'
import { policyAfter, policyFor, type ThreadPolicy } from './policy.ts'
import { escalationOf, type Protection, type RightsContext, rightsOfTurn, turnRights } from './rights.ts'
import { type Workplace, workplaceAfter, workspaceRoots } from './workspace-roots.ts'

type Overrides = Omit<ClientParams<'turn/start'>, 'threadId' | 'input'> & Named

/** What a turn may name of its rights in our words. */
interface Named {
  readonly sandbox?: protocol.v2.SandboxMode | undefined
  readonly network?: NetworkAccess | undefined
}

type Opened = Workplace & { readonly activePermissionProfile?: { readonly id?: string } | null }

export class ThreadRights {
  readonly #context: RightsContext
  #policy: ThreadPolicy
  #workplace: Workplace

  constructor(policy: ThreadPolicy, settings: Opened, given: RightsContext) {
    const { activePermissionProfile, ...workplace } = settings
    // One that codex had loaded keeps the profiles it has.
    const context = { ...given, opened: accessPartOf(activePermissionProfile?.id) }
    this.#context = context
    this.#policy = policy
    this.#workplace = { ...workplace, sandbox: turnRights(policy, context)?.sandbox ?? settings.sandbox }
  }

  get policy(): ThreadPolicy {
    return this.#policy
  }

  get workspaceRoots(): readonly string[] {
    return workspaceRoots(this.#workplace)
  }

  get sandbox(): protocol.v2.SandboxPolicy {
    return this.#workplace.sandbox
  }

  get escalation() {
    return escalationOf(this.#policy, this.#context)
  }

  get protection(): Protection | null {
    return isHeld(this.#policy) ? this.#context.protection : null
  }

  /** The folder that a turn with these options works in. */
  folderOf({ cwd }: Pick<Overrides, 'cwd'>): string {
    return cwd ?? this.#workplace.cwd ?? ''
  }

  /**
   * What a turn with these options is sent, the sandbox it runs in, and how to note that codex has taken it. `folder` is
   * where the turn really works.
   */
  ofTurn({ sandbox, network, ...others }: Overrides, folder: string) {
    const policy = policyFor(this.#policy, { sandbox, network })
    const rights = rightsOfTurn(policy, { ...others, sandbox, folder }, this.#context)
    const params = { ...others, ...rights.params }
    return {
      params,
      sandbox: rights.sandbox ?? this.sandbox,
      taken: () => {
        this.#policy = policyAfter(policy, others)
        this.#workplace = workplaceAfter(this.#workplace, { ...params, sandboxPolicy: rights.sandbox })
      },
    }
  }
}
