import type { PresetName, ThreadPolicy } from '../api/contract.ts'

export interface Template {
  readonly name: string
  readonly prompt: string
  readonly sandbox: NonNullable<ThreadPolicy['sandbox']>
  readonly preset: PresetName
}

export const TEMPLATES: readonly Template[] = [
  {
    name: 'Explain this folder',
    prompt:
      'Look around and explain in a page what this project does, how it is built and where to start reading.',
    sandbox: 'read-only',
    preset: 'read-only',
  },
  {
    name: 'Fix the failing tests',
    prompt: 'Run the tests. Find out why they fail, fix the cause, and show that they pass.',
    sandbox: 'workspace-write',
    preset: 'workspace',
  },
  {
    name: 'Review the last commit',
    prompt:
      'Review the last commit as a careful colleague would: bugs, missing tests, unclear names. Change nothing.',
    sandbox: 'read-only',
    preset: 'read-only',
  },
  {
    name: 'Update dependencies',
    prompt:
      'Update the dependencies that have newer compatible versions, run the tests, and sum up what changed.',
    sandbox: 'workspace-write',
    preset: 'ask-all',
  },
]
