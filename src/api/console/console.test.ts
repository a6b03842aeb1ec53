import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, openApi, scratchDir } from '../fixtures/open-api.ts'

function builtConsole(): string {
  const root = scratchDir()
  writeFileSync(path.join(root, 'secret.txt'), 'secret')
  const folder = path.join(root, 'console')
  mkdirSync(path.join(folder, 'assets'), { recursive: true })
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>console</title>')
  writeFileSync(path.join(folder, 'assets', 'index-B8dXk2Qa.js'), 'run()')
  writeFileSync(path.join(folder, '.hidden'), 'secret')
  writeFileSync(path.join(folder, 'icon.svg'), '<svg/>')
  symlinkSync(path.join(root, 'secret.txt'), path.join(folder, 'link.txt'))
  return folder
}

const get = async (address: string, init?: RequestInit) =>
  openApi({ consoleDir: builtConsole() }).app.request(address, init)

describe('the console', () => {
  it('is had without a credential, under a strict policy', async () => {
    const response = await get('/')
    expect(await response.text()).toContain('<title>console</title>')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self';.*connect-src 'self'/)
  })

  it('has its page at all its places, but not where a file is missing', async () => {
    expect(await (await get('/tasks/0192-abc')).text()).toContain('<title>console</title>')
    for (const missing of ['/assets/index-old.js', '/favicon.ico', '/v1x.json'])
      expect(await errorOf(await get(missing))).toMatchObject({ status: 404, code: 'not-found' })
  })

  it('may be kept for ever where the name has a hash, and is asked for again by its tag elsewhere', async () => {
    const asset = await get('/assets/index-B8dXk2Qa.js')
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const etag = (await get('/icon.svg')).headers.get('etag')!
    const again = await get('/icon.svg', { headers: { 'if-none-match': `"other", W/${etag}` } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  it('does not lead out of its folder', async () => {
    const paths = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/%2e%2e%5csecret.txt',
      '/..%00/secret.txt',
      '/%252e%252e%252fsecret.txt',
      '/link.txt',
      '/.hidden',
      '/%2ehidden',
      '/%ff%fe',
    ]
    for (const address of paths) {
      const response = await get(address)
      expect([address, (await response.text()).includes('secret')]).toEqual([address, false])
      expect(response.status).toBeLessThan(500)
    }
  })

  it('takes nothing from the API', async () => {
    for (const address of ['/v1', '/v1/tasks', '/metrics', '/openapi.json'])
      expect((await get(address)).status).toBe(401)
  })

  it('is only read', async () => {
    expect((await get('/', { method: 'POST' })).status).toBe(404)
  })
})

describe('without a console', () => {
  it('a page says so, and nothing else is there', async () => {
    const { app } = openApi()
    expect(await (await app.request('/')).text()).toContain('not part of this build')
    expect((await app.request('/tasks')).status).toBe(404)
  })
})
