import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../tasks/index.ts'
import { openApi } from '../fixtures/open-api.ts'
import { WORKER } from '../fixtures/values.ts'
import { ApiMetrics } from '../metrics.ts'

interface Document {
  readonly openapi: string
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; responses: object }>>>
  >
  readonly components: { readonly schemas: object; readonly securitySchemes: object }
}

describe('the description', () => {
  it('is OpenAPI 3.1, and knows every route and schema', async () => {
    const document = (await (await openApi().ask('/openapi.json')).json()) as Document
    expect(document.openapi).toBe('3.1.0')
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(routes.sort()).toMatchSnapshot()
    expect(Object.keys(document.components.schemas).sort()).toMatchSnapshot()
    expect(Object.keys(document.components.securitySchemes)).toEqual(['token', 'cookie'])
  })

  it('is what the specification says a description is', async () => {
    const document = (await (await openApi().ask('/openapi.json')).json()) as Record<string, unknown>
    expect(await new Validator().validate(document)).toEqual({ valid: true })
  })

  it('gives every operation a name of its own', async () => {
    const { paths } = (await (await openApi().ask('/openapi.json')).json()) as Document
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(names).toContain('getTasksByIdEventsBySeq')
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.every((name) => /^[a-z][A-Za-z]+$/.test(name))).toBe(true)
  })

  it('refers only to what it has', async () => {
    const text = await (await openApi().ask('/openapi.json')).text()
    const { components } = JSON.parse(text) as Document
    const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)
    expect(named.filter((name) => !Object.hasOwn(components.schemas, name))).toEqual([])
  })
})

describe('metrics', () => {
  it('tell of tasks, questions, turns, events, requests and memory', async () => {
    const metrics = new ApiMetrics()
    const api = openApi({ metrics, now: () => 61_000 })
    metrics.eventsStored(3)
    metrics.turnEnded('completed')
    metrics.rpcAnswered({ method: 'turn/start', seconds: 0.2, isError: false })
    api.service.appServers = () => [
      {
        id: 'a1',
        pid: 1,
        key: { codexPath: null, codexHome: null, execHost: null },
        codexVersion: '0.166.0',
        startedAt: 0,
        state: 'running',
        holds: 1,
        threads: 2,
        memoryBytes: 5e7,
      },
    ]
    await api.ask('/v1/tasks/task-1')
    const response = await api.ask('/metrics')
    expect(response.headers.get('content-type')).toContain('text/plain')
    const lines = (await response.text()).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'drawbridge_tasks{status="working"} 2',
        'drawbridge_tasks{status="lost"} 0',
        'drawbridge_approvals_open 1',
        'drawbridge_approval_oldest_seconds 60',
        'drawbridge_turns_total{status="completed"} 1',
        'drawbridge_events_total 3',
        'drawbridge_rpc_seconds_count{method="turn/start",error="false"} 1',
        'drawbridge_http_seconds_count{method="GET",route="/v1/tasks/:id",status="200"} 1',
        'drawbridge_app_servers{state="running"} 1',
        'drawbridge_app_server_memory_bytes{id="a1"} 50000000',
      ]),
    )
    expect(lines.some((line) => line.startsWith('process_resident_memory_bytes'))).toBe(true)
  })

  it('tell of every worker that shares the database', async () => {
    const api = openApi()
    api.instead('workers', () => [
      WORKER,
      { ...WORKER, id: 'worker-2', name: 'build-2', state: 'lost', silentMs: 90_500, isThis: false },
    ])
    const lines = (await (await api.ask('/metrics')).text()).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'drawbridge_workers{state="up"} 1',
        'drawbridge_workers{state="draining"} 0',
        'drawbridge_workers{state="lost"} 1',
        'drawbridge_worker_info{worker="worker-1",name="build-1",machine="build-1.example",version="0.1.0",this="true"} 1',
        'drawbridge_worker_working{worker="worker-1"} 2',
        'drawbridge_worker_capacity{worker="worker-1"} 8',
        'drawbridge_worker_tasks{worker="worker-1"} 5',
        'drawbridge_worker_silent_seconds{worker="worker-2"} 90.5',
        'drawbridge_database_up 1',
      ]),
    )
  })

  it('are there while the database does not answer, and say so', async () => {
    const metrics = new ApiMetrics()
    const api = openApi({ metrics })
    metrics.eventsStored(3)
    await api.ask('/metrics')
    api.instead('counts', () => {
      throw new StoreError('database-unreachable', 'the database does not answer')
    })
    const response = await api.ask('/metrics')
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['drawbridge_database_up 0', 'drawbridge_approvals_open Nan']),
    )
    expect(text).toMatch(/^drawbridge_last_commit_timestamp_seconds [1-9]/m)
    expect(text).not.toMatch(/^drawbridge_(tasks|workers|worker_info)\{/m)
  })

  it('do not grow with the paths somebody makes up', async () => {
    const metrics = new ApiMetrics()
    const api = openApi({ metrics })
    for (let n = 0; n < 50; n++) await api.app.request(`/made-up-${n}`)
    const text = await (await api.ask('/metrics')).text()
    expect(text.match(/drawbridge_http_seconds_count\{/g)).toHaveLength(1)
  })

  it('of two services in one process are apart', () => {
    expect(() => [new ApiMetrics(), new ApiMetrics()]).not.toThrow()
  })
})
