import { describe, expect, it } from 'vitest'
import { childEnvironment } from './environment.ts'

describe('the environment of codex', () => {
  it('has what tools need', () => {
    const env = {
      HOME: '/home/ada',
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run/user/1',
      https_proxy: 'http://proxy',
      HTTPS_PROXY: 'http://proxy',
      SSH_AUTH_SOCK: '/run/agent',
      GIT_AUTHOR_NAME: 'Ada',
      CARGO_HOME: '/cargo',
      npm_config_registry: 'https://registry',
      OPENAI_BASE_URL: 'https://api',
      CODEX_HOME: '/codex',
      SystemRoot: 'C:\\Windows',
      Path: 'C:\\bin',
    }
    expect(childEnvironment(env)).toEqual({ ...env, RUST_LOG: 'warn' })
  })

  it('has nothing else', () => {
    const env = {
      DRAWBRIDGE_TOKEN: 'x',
      DRAWBRIDGE_APP_SERVER: 'outer',
      GH_TOKEN: 'x',
      GITHUB_TOKEN: 'x',
      DATABASE_URL: 'x',
      DRAWBRIDGE_DATABASE_URL: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_PROFILE: 'x',
      ANTHROPIC_API_KEY: 'x',
      GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic x',
      GIT_DIR: '.git',
      npm_config__auth: 'x',
      'npm_config_//registry/:_authToken': 'x',
      npm_config__password: 'x',
      NPM_TOKEN: 'x',
      OPENAI_API_KEY: 'x',
      CODEX_API_KEY: 'x',
      CODEX_ACCESS_TOKEN: 'x',
      CODEX_THREAD_ID: 'of an outer codex',
      HOMEPAGE: 'x',
      UNSET: undefined,
    }
    expect(childEnvironment(env)).toEqual({ RUST_LOG: 'warn' })
  })

  it('takes names to pass, then extra variables, then the home', () => {
    const env = { AZURE_KEY: 'k', CODEX_HOME: '/inherited', RUST_LOG: 'debug', LANG: 'C' }
    const options = { passEnv: ['AZURE_KEY', 'MISSING'], extra: { LANG: 'de', CODEX_HOME: '/extra' } }
    expect(childEnvironment(env, options)).toEqual({
      AZURE_KEY: 'k',
      CODEX_HOME: '/extra',
      RUST_LOG: 'debug',
      LANG: 'de',
    })
    expect(childEnvironment(env, { ...options, codexHome: '/given' }).CODEX_HOME).toBe('/given')
  })
})
