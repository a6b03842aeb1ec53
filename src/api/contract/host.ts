import { z } from 'zod'
import { AppServer } from './system.ts'

const text = z.string().min(1).max(1_000)

const HostMode = z.enum(['exec', 'remote'])
const MODES =
  '`exec` (the default): codex and its login stay here, commands run there. `remote`: codex and its login are there, and work goes on while this machine is off.'

export const AddHost = z
  .strictObject({
    name: text.meta({ description: 'What people call it here: letters, digits, . _ and -.' }),
    destination: text.meta({ description: '`[user@]host[:port]`, or a name from the ssh config.' }),
    identity: text.optional().meta({ description: 'A key file of the machine that the service runs on.' }),
    jump: text.optional().meta({ description: '`[user@]host[:port]` to go through.' }),
    codexPath: text.optional().meta({ description: 'The codex program on the host.' }),
    mode: HostMode.optional().meta({ description: MODES }),
    labels: z.array(text).max(50).optional(),
  })
  .meta({ id: 'AddHost' })
export type AddHost = z.infer<typeof AddHost>

export const SshHostState = z
  .object({
    destination: z.string(),
    identity: z.string().nullable(),
    jump: z.string().nullable(),
    codexPath: z.string().nullable(),
    mode: HostMode.meta({ description: MODES }),
    labels: z.array(z.string()),
    state: z.enum(['idle', 'connecting', 'connected', 'retrying', 'broken', 'closed']),
    problem: z.string().nullable().meta({ description: 'What went wrong there last, until it works again.' }),
    toDo: z.string().nullable().meta({ description: 'What a person can do about it.' }),
    keys: z
      .array(z.object({ type: z.string(), fingerprint: z.string() }))
      .meta({ description: 'Those it shows, while its key is not one that was confirmed.' }),
    codexVersion: z
      .string()
      .nullable()
      .meta({ description: 'Of the codex server there that this service used last; null: none yet.' }),
    upload: z
      .object({ sentBytes: z.number(), totalBytes: z.number() })
      .nullable()
      .meta({ description: 'Of codex, while it is being brought there.' }),
    addedBy: z.string(),
    addedAt: z.number(),
  })
  .meta({ id: 'SshHostState' })
export type SshHostState = z.infer<typeof SshHostState>

export const Host = z
  .object({
    id: z.string(),
    kind: z.enum(['local', 'ssh']),
    appServers: z.array(AppServer),
    ssh: SshHostState.nullable(),
  })
  .meta({ id: 'Host', description: 'A machine that tasks run on.' })
export type Host = z.infer<typeof Host>

export const HostList = z.object({ items: z.array(Host) }).meta({ id: 'HostList' })

export const CheckHost = z
  .strictObject({
    acceptKey: z
      .string()
      .optional()
      .meta({ description: 'The fingerprint that a person compared: `SHA256:…`.' }),
    provision: z
      .boolean()
      .optional()
      .meta({ description: 'Also bring codex there, if needed, and start its server.' }),
  })
  .meta({ id: 'CheckHost' })
export type CheckHost = z.infer<typeof CheckHost>

export const CheckedHost = z
  .object({
    name: z.string(),
    mode: HostMode.meta({ description: MODES }),
    platform: z.string(),
    arch: z.string(),
    user: z.string(),
    home: z.string(),
    freeBytes: z.number().nullable(),
    roundTripMs: z.number().nullable(),
    codex: z.array(z.object({ path: z.string(), version: z.string().nullable() })),
    server: z
      .string()
      .nullable()
      .meta({ description: 'The version of the codex server that runs there now; null: it was not asked.' }),
    hasLogin: z
      .boolean()
      .nullable()
      .meta({ description: 'In remote mode, whether codex there has the file of a login; else null.' }),
  })
  .meta({ id: 'CheckedHost' })
export type CheckedHost = z.infer<typeof CheckedHost>
