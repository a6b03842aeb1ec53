import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { scratchDir } from './fixtures/open-api.ts'
import { RawClient, serve } from './fixtures/serve.ts'
import { standInService } from './fixtures/stand-in-service.ts'
import { serveApi } from './serve.ts'

const run = promisify(execFile)

describe('the address', () => {
  it('is a free one of loopback by default', async () => {
    const { url, port } = await serve()
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('of other machines needs TLS or an explicit word', async () => {
    const { service } = standInService()
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'bridge.example'])
      await expect(serveApi({ service, dataDir: scratchDir(), host, port: 0 })).rejects.toMatchObject({
        code: 'insecure-host',
      })
    const { url, port } = await serve({ host: '0.0.0.0', insecure: true })
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const client = new RawClient(port).send('GET /healthz HTTP/1.1\r\nHost: 0.0.0.0\r\n\r\n')
    expect(await client.status()).toBe(421)
  })

  it('that is taken is said to be', async () => {
    const { port } = await serve()
    await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('may be a secure one', async () => {
    const folder = scratchDir()
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string]
    const flags = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ]
    await run('openssl', ['req', '-x509', ...flags, '-keyout', key, '-out', cert])
    const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
    const server = await serve({ tls })
    const link = await server.makeLoginLink()
    expect(link.url).toMatch(/^https:/)
    const cookie = await new Promise<string>((resolve, reject) => {
      get(link.url, { rejectUnauthorized: false }, ({ headers }) =>
        resolve(String(headers['set-cookie'])),
      ).on('error', reject)
    })
    expect(cookie).toContain('; Secure')
  })

  it('is where its login links lead, or where browsers see it', async () => {
    const { url, makeLoginLink } = await serve()
    expect((await makeLoginLink()).url).toMatch(`${url}/login?code=`)
    const behind = await serve({ publicUrl: 'https://bridge.example' })
    expect((await behind.makeLoginLink()).url).toMatch(/^https:\/\/bridge\.example\/login\?code=/)
    const client = new RawClient(behind.port).send('GET /healthz HTTP/1.1\r\nHost: bridge.example\r\n\r\n')
    expect(await client.status()).toBe(200)
  })
})

describe('the end', () => {
  it('ends streams with a word, answers what is asked, and is quick about idle connections', async () => {
    const server = await serve()
    const { port, token } = server
    new RawClient(port).send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const client = new RawClient(port).send(
      `GET /v1/tasks/task-1/events/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    await client.until(/retry: 1000/)
    const answered = Promise.withResolvers<unknown[]>()
    server.instead('models', () => answered.promise)
    const asked = fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
    await expect.poll(() => server.calls.some(([name]) => name === 'models')).toBe(true)
    const closed = server.close()
    await client.until(/: the service is stopping/)
    answered.resolve([])
    expect((await asked).status).toBe(200)
    await closed
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })

  it('may be asked for twice', async () => {
    const server = await serve()
    await Promise.all([server.close(), server.close()])
  })
})
