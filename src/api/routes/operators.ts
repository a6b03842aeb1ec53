// For programs that look after the service: is it there, how is it doing, how is it spoken to.
import { VERSION } from '../../codex/index.ts'
import type { ApiApp } from '../api-env.ts'
import type { RouteParts } from './route-parts.ts'

export function addOperatorRoutes(app: ApiApp, { service, metrics, streams, now }: RouteParts): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/metrics', async (c) => {
    const text = await metrics.text(service, { now: now(), streams: streams.count })
    return c.body(text, 200, { 'content-type': metrics.contentType })
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  app.openAPIRegistry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'drawbridge',
  })
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Drawbridge',
      version: VERSION,
      description: 'Runs OpenAI Codex for you; people keep the gate.',
    },
    security: [{ token: [] }, { cookie: [] }],
  })
}
