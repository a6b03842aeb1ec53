// The files of a task: those in the folder it works in, and those that people give it.
import { z } from 'zod'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

export const FileQuery = z.object({
  in: z.enum(['folder', 'uploads']).optional().meta({
    description: '`folder`: where the task works (the default). `uploads`: what it was given.',
  }),
  path: z.string().max(4096).optional().meta({ description: 'Relative, with `/` between its parts.' }),
})

export const FileEntry = z
  .object({
    name: z.string(),
    kind: z.enum(['file', 'folder', 'link', 'other']).meta({
      description: '`other`: a pipe, a device, a socket, or a name that is not UTF-8. It cannot be read.',
    }),
    bytes: z.number().nullable().meta({ description: 'Of a file.' }),
    modifiedAt: time.nullable(),
    target: z.string().nullable().meta({ description: 'Of a link: what it says, wherever that leads.' }),
  })
  .meta({ id: 'FileEntry' })
export type FileEntry = z.infer<typeof FileEntry>

export const UploadLimits = z
  .object({
    maxFileBytes: z.number(),
    maxFiles: z.number().meta({ description: 'In one request.' }),
    maxTaskBytes: z.number().meta({ description: 'Of all uploads of a task together.' }),
    types: z
      .array(z.string())
      .nullable()
      .meta({ description: '`image/*`, `text/csv`, `.parquet`; null: all.' }),
  })
  .meta({ id: 'UploadLimits' })
export type UploadLimits = z.infer<typeof UploadLimits>

export const FileList = z
  .object({
    entries: z.array(FileEntry).meta({ description: 'Folders first, then by name.' }),
    isCut: z.boolean().meta({ description: 'There are more than are shown.' }),
    limits: UploadLimits,
  })
  .meta({ id: 'FileList' })
export type FileList = z.infer<typeof FileList>

export const Upload = z
  .object({
    id: z.string(),
    taskId: z.string(),
    name: z.string().meta({ description: 'Made safe, and numbered where another file has it.' }),
    path: z.string().meta({ description: 'Where it is, on the machine of the task: so the model is told.' }),
    bytes: z.number(),
    type: z.string().meta({ description: 'By its content, and only then by its name.' }),
    sha256: z.string(),
    actor: z.string(),
    isTold: z.boolean().meta({ description: 'Whether a message has told the model of it.' }),
    createdAt: time,
  })
  .meta({ id: 'Upload' })
export type Upload = z.infer<typeof Upload>

export const UploadList = z.object({ items: z.array(Upload) }).meta({ id: 'UploadList' })
