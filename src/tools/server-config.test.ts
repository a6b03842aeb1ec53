import { describe, expect, it } from 'vitest'
import { resolveServer } from './server-config.ts'

const place = { env: { KEY: 'k-1', EMPTY: '' }, folder: '/data' }

describe('an MCP server of the settings', () => {
  it('gets its variables by value, and runs in the folder of the settings', () => {
    const given = { command: 'x', args: ['a'], env: { MODE: 'fast' }, env_vars: ['KEY'] }
    expect(resolveServer(given, place)).toEqual({
      config: {
        command: 'x',
        args: ['a'],
        cwd: '/data',
        env: { KEY: 'k-1', MODE: 'fast' },
        required: true,
        omit_tools_from: ['deferred'],
      },
      secrets: ['k-1'],
    })
    expect(resolveServer({ command: 'x', cwd: '/own', required: false }, place).config).toMatchObject({
      cwd: '/own',
      required: false,
    })
  })

  it('over HTTP gets its headers by value', () => {
    const given = {
      url: 'https://mcp.example',
      http_headers: { 'X-Mode': 'fast' },
      env_http_headers: { 'X-Key': 'KEY' },
      bearer_token_env_var: 'KEY',
    }
    const { config, secrets } = resolveServer(given, place)
    expect(config.http_headers).toEqual({ 'X-Mode': 'fast', 'X-Key': 'k-1', Authorization: 'Bearer k-1' })
    expect(config).not.toHaveProperty('env_http_headers')
    expect(secrets).toEqual(['k-1', 'k-1'])
  })

  it.each(['NOT_SET', 'EMPTY'])('is not used while a variable is missing: %s', (name) => {
    expect(() => resolveServer({ command: 'x', env_vars: [name] }, place)).toThrow(`${name} is not set`)
  })
})
