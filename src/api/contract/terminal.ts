import { z } from 'zod'
import { StartTask } from './task.ts'

export const Terminal = z
  .object({
    taskId: z.string(),
    threadId: z.string(),
    cwd: z.string(),
    socketPath: z.string().meta({ description: 'Where its app-server listens, on `machine`.' }),
    codexPath: z.string(),
    codexVersion: z.string(),
    codexHome: z.string(),
    machine: z.string(),
  })
  .meta({
    id: 'Terminal',
    description: "How codex's own terminal reaches the thread of a task: `codex resume <threadId> --remote`.",
  })
export type Terminal = z.infer<typeof Terminal>

/** As for a new task that has a prompt. */
export const OpenTask = StartTask.pick({
  cwd: true,
  title: true,
  codexPath: true,
  codexHome: true,
  policy: true,
  preset: true,
  rules: true,
  labels: true,
  notify: true,
}).meta({ id: 'OpenTask' })
export type OpenTask = z.input<typeof OpenTask>
