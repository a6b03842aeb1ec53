import { z } from 'zod'
import { AbsolutePath } from './input.ts'

export const FolderTrust = z
  .object({
    state: z.enum(['trusted', 'untrusted']),
    by: z
      .enum(['drawbridge', 'codex'])
      .nullable()
      .meta({ description: "Whose record says so: ours, or codex's own config.toml." }),
    root: z.string().meta({ description: 'The folder that trust is, or would be, kept for.' }),
    hasChanged: z
      .boolean()
      .meta({ description: 'It was trusted, but what it would start is no longer what was shown then.' }),
  })
  .meta({ id: 'FolderTrust' })
export type FolderTrust = z.infer<typeof FolderTrust>

const ProjectLayer = z
  .object({
    folder: z.string().meta({ description: 'The `.codex` folder.' }),
    digest: z.string(),
    mcpServers: z.array(
      z.object({
        name: z.string(),
        command: z.string().nullable(),
        args: z.array(z.string()),
        url: z.string().nullable(),
        envNames: z
          .array(z.string())
          .meta({ description: 'Variables it is given; their values are among the settings.' }),
      }),
    ),
    hooks: z.array(z.object({ event: z.string(), command: z.string(), file: z.string() })),
    rules: z.array(z.string()),
    agents: z.array(z.string()).meta({ description: 'Files that describe sub-agents.' }),
    settings: z.array(z.object({ key: z.string(), value: z.string() })),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why it cannot be shown whole; the folder cannot be trusted then.' }),
  })
  .meta({ id: 'ProjectLayer', description: 'One `.codex` folder on the way from the top of the checkout.' })
export type ProjectLayer = z.infer<typeof ProjectLayer>

export const ProjectLook = z
  .object({
    root: z.string(),
    top: z.string().meta({ description: 'The top of the checkout; in a linked worktree not the root.' }),
    folder: z.string(),
    layers: z.array(ProjectLayer),
    digest: z.string().meta({ description: 'Stands for all of this: give it back to trust what was shown.' }),
  })
  .meta({ id: 'ProjectLook', description: 'What codex would start and change there once it is trusted.' })
export type ProjectLook = z.infer<typeof ProjectLook>

export const LookAtFolder = z
  .strictObject({ cwd: AbsolutePath, codexHome: AbsolutePath.nullable().optional() })
  .meta({ id: 'LookAtFolder' })
export type LookAtFolder = z.infer<typeof LookAtFolder>

export const TrustLook = z.object({ trust: FolderTrust, look: ProjectLook }).meta({ id: 'TrustLook' })
export type TrustLook = z.infer<typeof TrustLook>

export const TrustFolder = LookAtFolder.extend({
  digest: z.string().min(1).max(200).meta({ description: 'Of the look that the person saw.' }),
}).meta({ id: 'TrustFolder' })
export type TrustFolder = z.infer<typeof TrustFolder>

export const RevokeTrust = z.strictObject({ root: AbsolutePath }).meta({ id: 'RevokeTrust' })
export type RevokeTrust = z.infer<typeof RevokeTrust>

export const TrustedFolder = z
  .object({
    root: z.string(),
    layers: z
      .array(z.object({ folder: z.string(), digest: z.string() }))
      .meta({ description: 'What was shown when it was trusted.' }),
    trustedAt: z.number(),
    by: z.string(),
  })
  .meta({ id: 'TrustedFolder' })
export type TrustedFolder = z.infer<typeof TrustedFolder>

export const TrustList = z
  .object({
    folders: z.array(TrustedFolder),
    codexFolders: z
      .array(z.object({ folder: z.string(), trust: z.enum(['trusted', 'untrusted']) }))
      .meta({ description: "What codex's own config.toml says; only you can change that file." }),
    protectedPaths: z
      .array(z.string())
      .meta({ description: 'What commands in an untrusted folder cannot read.' }),
  })
  .meta({ id: 'TrustList' })
export type TrustList = z.infer<typeof TrustList>
