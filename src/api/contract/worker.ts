import { z } from 'zod'

export const Worker = z
  .object({
    id: z.string().meta({ description: 'Stays the same across restarts: it belongs to the data folder.' }),
    name: z.string(),
    machine: z.string(),
    version: z.string().meta({ description: "Drawbridge's version." }),
    labels: z.array(z.string()),
    state: z.enum(['up', 'draining', 'stopped', 'lost']).meta({
      description:
        '`draining`: takes no new tasks. `stopped`: was shut down. `lost`: not heard of since `beatAt`; it cannot write until it has registered again.',
    }),
    capacity: z.number().meta({ description: 'How many turns it runs at the same time.' }),
    working: z.number().meta({ description: 'How many turns run now.' }),
    tasks: z.number().meta({ description: 'Its tasks that have not ended.' }),
    url: z.string().nullable().meta({ description: 'Where its own API is, as far as it knows.' }),
    startedAt: z.number(),
    beatAt: z.number().meta({ description: "When it was last heard of, on the database's clock." }),
    silentMs: z.number().meta({ description: 'How long ago that was when this was read.' }),
    isThis: z.boolean().meta({ description: 'The worker that answered this request.' }),
  })
  .meta({ id: 'Worker', description: 'One service on a shared database.' })
export type Worker = z.infer<typeof Worker>

export const WorkerList = z.object({ items: z.array(Worker) }).meta({ id: 'WorkerList' })
