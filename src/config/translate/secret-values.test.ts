// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references as other applications write them
import { describe, expect, it } from 'vitest'
import { codexName } from './codex-server.ts'
import { isDangerousVariable, isTestFolder } from './dangerous-variables.ts'
import { isSecretNamed, isSecretUrl, secretArguments } from './secret-values.ts'

describe('a secret', () => {
  it.each([
    ['DB_PASSWORD', 'hunter2'],
    ['GITHUB_TOKEN', 'abc'],
    ['ANYTHING', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
    ['X', 'a8f3b2c9d1e7f6a5b4c3'],
    ['DATABASE', 'postgres://ada:pw12345@db/x'],
    ['Authorization', 'Bearer abcdefghijkl'],
    ['BASIC_AUTH', 'me:hunter22'],
    ['TOKEN', 'hunter2'],
    ['GITLAB_PAT', 'hunter2'],
  ])('is %s=%s', (name, value) => expect(isSecretNamed(name, value)).toBe(true))

  it.each([
    ['LOG_LEVEL', 'debug'],
    ['PORT', '8080'],
    ['HOME_DIR', '/home/ada/project2/data'],
    ['API_URL', 'https://api.example.com/v1'],
    ['TZ', 'Europe/Berlin'],
    ['GITHUB_TOKEN', '${GITHUB_TOKEN}'],
    ['BASIC_AUTH', 'true'],
    ['KEY', '/home/ada/key.pem'],
  ])('is not %s=%s', (name, value) => expect(isSecretNamed(name, value)).toBe(false))

  it.each([
    [['--api-key', 'hunter2secret9'], [1]],
    [['--api-key=hunter2secret9'], [0]],
    [['--header', 'Authorization: Bearer abcdefgh12345678'], [1]],
    [['postgres://ada:pw12345@db/x'], [0]],
    [['-y', '@scope/server@1.2.3', '--port', '8080', '/home/ada/x1y2/z', 'mcp/image:v1.2.3a4'], []],
    [['--token-count', '12'], []],
    [
      ['--pat', 'hunter22', '--key', 'hunter22', '-p', 'hunter22', '-u', 'me:hunter22'],
      [1, 3, 5, 7],
    ],
    [['-p', '8080', '-p', '80:80', '-p', '@scope/server2', '-u', '1000:1000', '--key', './key.pem'], []],
  ])('is in the arguments %j at %j', (args, places) => expect(secretArguments(args)).toEqual(places))

  it.each([
    ['https://x.example/mcp?api_key=abc123def456', true],
    ['https://ada:secretpw@x.example/mcp', true],
    ['https://x.example/a8f3b2c9d1e7f6a5b4c3/mcp', true],
    ['https://x.example/mcp?key=ab12cd34ef56gh78', true],
    ['https://x.example/v1/mcp?region=eu', false],
  ])('in %s: %s', (url, isSecret) => expect(isSecretUrl(url)).toBe(isSecret))
})

describe('a variable', () => {
  it.each([
    'NODE_OPTIONS',
    'node_options',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONPATH',
    'BASH_ENV',
    'BASH_FUNC_x%%',
    'GIT_CONFIG_COUNT',
    'npm_config_registry',
    'PIP_INDEX_URL',
    'UV_INDEX',
    'PYTHONWARNINGS',
    'COR_PROFILER',
  ])('%s is dangerous', (name) => expect(isDangerousVariable(name)).toBe(true))
  it.each(['NODE_ENV', 'PYTHONUNBUFFERED', 'API_KEY'])('%s is not', (name) =>
    expect(isDangerousVariable(name)).toBe(false),
  )
})

describe('the folder of a test run', () => {
  it.each(['/tmp/pytest-of-ada/x', 'C:\\tmp\\pytest-3', '/private/var/folders/x'])('is %s', (folder) => {
    expect(isTestFolder(folder)).toBe(true)
  })
  it('is not a home', () => expect(isTestFolder('/home/ada/.codex')).toBe(false))
})

describe('a name', () => {
  it.each([
    ['github', 'github'],
    ['a:b@c/d.e-f', 'a:b@c/d.e-f'],
    ['My Server!', 'My-Server'],
    ['Zürich', 'Zu-rich'],
    ['日本', null],
    ['', null],
  ])('%j is %j in Codex', (name, codex) => expect(codexName(name)).toBe(codex))
})
