// What a service on a shared PostgreSQL answers, put before a page of a service that has none.
import type { Page, Route } from 'playwright-core'
import type { Task, Worker } from '../../../src/api/index.ts'

export function worker(name: string, known: Partial<Worker> = {}): Worker {
  return {
    id: `id-of-${name}`,
    name,
    machine: `${name}.example.com`,
    version: '0.1.0',
    labels: [],
    state: 'up',
    capacity: 8,
    working: 2,
    tasks: 5,
    url: null,
    startedAt: Date.now() - 3_600_000,
    beatAt: Date.now() - 2000,
    silentMs: 2000,
    isThis: false,
    ...known,
  }
}

/** The page sees these workers; draining one changes it. Gives what was asked to be done. */
export async function showWorkers(page: Page, workers: readonly Worker[]): Promise<string[]> {
  const asked: string[] = []
  let now = [...workers]
  const one = (id: string) => now.find((each) => each.id === id)
  await page.route('**/v1/workers', (route) => route.fulfill({ json: { items: now } }))
  await page.route('**/v1/workers/*/*', (route) => {
    const [id, verb] = new URL(route.request().url()).pathname.split('/').slice(-2) as [string, string]
    asked.push(`${verb} ${one(id)?.name}`)
    now = now.map((each) =>
      each.id === id ? { ...each, state: verb === 'drain' ? 'draining' : 'up' } : each,
    )
    return route.fulfill({ json: one(id) })
  })
  return asked
}

/** The page sees tasks with these fields, by title. */
export async function changeTasks(
  page: Page,
  fields: Readonly<Record<string, Partial<Task>>>,
): Promise<void> {
  const changed = (task: Task) => ({ ...task, ...fields[task.title] })
  await page.route('**/v1/tasks?*', (route) =>
    answer(route, (body: { items: Task[] }) => ({ ...body, items: body.items.map(changed) })),
  )
  await page.route('**/v1/tasks/*/detail?*', (route) =>
    answer(route, (body: { task: Task }) => ({ ...body, task: changed(body.task) })),
  )
}

async function answer<T>(route: Route, change: (body: T) => T): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, json: change((await response.json()) as T) })
}
