import { onTestFinished } from 'vitest'
import { openSshStage, type SshStage, type SshStageOptions } from './open-ssh-stage.ts'

export type { SshStage, SshStageOptions } from './open-ssh-stage.ts'

/** One for this test alone, which ends with it. */
export async function sshStage(options: SshStageOptions = {}): Promise<SshStage> {
  const stage = await openSshStage(options)
  onTestFinished(stage.close)
  return stage
}
