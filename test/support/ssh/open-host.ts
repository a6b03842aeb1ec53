import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type SshHost, type SshHostOptions, type SshHostSpec, sshHost } from '../../../src/hosts/ssh/index.ts'
import type { SshStage } from './ssh-stage.ts'

export interface OpenHostOptions {
  readonly spec?: Partial<SshHostSpec>
  readonly options?: Partial<SshHostOptions>
  /** Whether the user's known_hosts has the key of the stage. */
  readonly isKnown?: boolean
}

/** The host of a stage, as a service with this data folder has it. It is closed when the test is over. */
export function openHost(stage: SshStage, given: OpenHostOptions = {}): { host: SshHost; dataDir: string } {
  const dataDir = given.options?.dataDir ?? dataFolder()
  const spec = { ...specOf(stage), ...given.spec }
  const host = sshHost(spec, {
    dataDir,
    env: process.env,
    now: Date.now,
    random: Math.random,
    configFile: configFor(stage, dataDir, given.isKnown ?? true),
    ...given.options,
  })
  onTestFinished(host.close)
  return { host, dataDir }
}

export function specOf(stage: SshStage): SshHostSpec {
  return { name: 'far', destination: `${stage.destination}:${stage.port}`, identity: stage.identityFile }
}

export function dataFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'drawbridge-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function configFor(stage: SshStage, dataDir: string, isKnown: boolean): string {
  const file = path.join(dataDir, 'ssh_config')
  const known = isKnown ? stage.knownHosts : path.join(dataDir, 'users_known_hosts')
  writeFileSync(file, `Host *\n  UserKnownHostsFile ${known}\n  IdentitiesOnly yes\n`)
  return file
}
