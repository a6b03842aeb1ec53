// Secrets that must not come through. Tokens are put together here, so that no scanner takes this file for a leak.
import { describe, expect, it } from 'vitest'
import { redact } from './index.ts'

const ALNUM = 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzAbCdEfGhJkMnPqRsTuVwXyZ'
const HEX = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
const UPPER = 'A1B2C3D4E5F6G7H8J9K0LMNPQRSTUVWX'

/** A body of that many characters, the same every time. */
function body(length: number, alphabet = ALNUM): string {
  return alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length)
}

const FAMILIES: readonly (readonly [family: string, prefix: string, rest: string])[] = [
  ['OpenAI', 'sk-', body(48)],
  ['OpenAI project', 'sk-proj-', body(120)],
  ['OpenAI service account', 'sk-svcacct-', body(60)],
  ['OpenAI admin', 'sk-admin-', body(60)],
  ['Anthropic', 'sk-ant-', `api03-${body(90)}`],
  ['OpenRouter', 'sk-or-', `v1-${body(64, HEX)}`],
  ['Cerebras', 'csk-', body(48)],
  ['GitHub personal', 'ghp_', body(36)],
  ['GitHub OAuth', 'gho_', body(36)],
  ['GitHub user', 'ghu_', body(36)],
  ['GitHub server', 'ghs_', body(36)],
  ['GitHub refresh', 'ghr_', body(70)],
  ['GitHub fine-grained', 'github_pat_', `${body(22)}_${body(59)}`],
  ['GitLab personal', 'glpat-', body(20)],
  ['GitLab deploy', 'gldt-', body(20)],
  ['GitLab runner', 'glrt-', body(20)],
  ['GitLab pipeline trigger', 'glptt-', body(40, HEX)],
  ['GitLab old runner', 'GR1348941', body(20)],
  ['Slack bot', 'xoxb-', `123456789012-123456789012-${body(24)}`],
  ['Slack user', 'xoxp-', `123456789012-${body(32, HEX)}`],
  ['Slack app', 'xapp-', `1-A0123456789-1234567890123-${body(64, HEX)}`],
  ['Slack webhook', 'hooks.slack.com/services/', `T01ABCDEFGH/B01ABCDEFGH/${body(24)}`],
  ['Discord webhook', 'discord.com/api/webhooks/', `123456789012345678/${body(68)}`],
  ['AWS access key', 'AKIA', body(16, UPPER)],
  ['AWS temporary key', 'ASIA', body(16, UPPER)],
  ['Google API', 'AIza', body(35)],
  ['Google OAuth', 'ya29.', body(80)],
  ['Google client secret', 'GOCSPX-', body(28)],
  ['Google refresh', '1//', `0${body(60)}`],
  ['Stripe live', 'sk_live_', body(24)],
  ['Stripe restricted', 'rk_live_', body(24)],
  ['Stripe test', 'sk_test_', body(24)],
  ['Stripe webhook', 'whsec_', body(32)],
  ['npm', 'npm_', body(36)],
  ['PyPI', 'pypi-', `AgEIcHlwaS5vcmc${body(60)}`],
  ['RubyGems', 'rubygems_', body(48, HEX)],
  ['Docker', 'dckr_pat_', body(27)],
  ['Hugging Face', 'hf_', body(34)],
  ['Replicate', 'r8_', body(37)],
  ['Groq', 'gsk_', body(52)],
  ['Fireworks', 'fw_', body(24)],
  ['Perplexity', 'pplx-', body(48)],
  ['Tavily', 'tvly-', body(32)],
  ['xAI', 'xai-', body(80)],
  ['SendGrid', 'SG.', `${body(22)}.${body(43)}`],
  ['Twilio', 'SK', body(32, HEX)],
  ['DigitalOcean', 'dop_v1_', body(64, HEX)],
  ['Databricks', 'dapi', body(32, HEX)],
  ['Shopify', 'shpat_', body(32, HEX)],
  ['Linear', 'lin_api_', body(40)],
  ['Notion', 'ntn_', body(46)],
  ['Figma', 'figd_', body(40)],
  ['Supabase', 'sbp_', body(40, HEX)],
  ['Grafana', 'glsa_', `${body(32)}_${body(8, HEX)}`],
  ['Sentry', 'sntrys_', body(60)],
  ['PlanetScale', 'pscale_tkn_', body(43)],
  ['Doppler', 'dp.pt.', body(43)],
  ['Vault', 'hvs.', body(90)],
  ['Atlassian', 'ATATT3x', body(180)],
  ['Postman', 'PMAK-', `${body(24, HEX)}-${body(34, HEX)}`],
  ['New Relic', 'NRAK-', body(27, UPPER)],
  ['Brevo', 'xkeysib-', `${body(64, HEX)}-${body(16)}`],
  ['age', 'AGE-SECRET-KEY-', `1${body(58, UPPER)}`],
  ['1Password', 'ops_', `eyJ${body(200)}`],
  ['JWT', 'eyJ', `hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${body(43)}`],
  ['unsigned JWT', 'eyJ', `hbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.`],
]

const SURROUNDINGS: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['the key is ', ', do not share it'],
  ['"', '"'],
  ['(', ')'],
  ['\\n', '\\n'],
  ['\x1b[32m', '\x1b[0m'],
  ['x=', '&y=1'],
  ['ключ: ', '。'],
]

describe('a token', () => {
  it.each(FAMILIES)('%s is known by its prefix', (_, prefix, rest) => {
    const tail = rest.slice(-4)
    const mask = /^[\w=-]{4}$/.test(tail) ? `${prefix}…${tail}` : `${prefix}***`
    for (const [before, after] of SURROUNDINGS) {
      expect(redact(before + prefix + rest + after)).toBe(before + mask + after)
    }
  })

  it.each([
    ['Telegram', `123456789:AA${body(33)}`],
    ['Discord', `MTA4NjY2NzI4OTEyMzQ1Njc4.GabcDE.${body(38)}`],
    ['Azure', `abc8Q~${body(34)}`],
  ])('%s is known by its shape', (_, token) => {
    expect(redact(`t ${token} t`)).toBe(`t …${token.slice(-4)} t`)
  })
})

const PEM = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n${body(64)}\n${body(30)}==`
const pem = (kind: string, content: string) => `-----BEGIN ${kind}-----${content}-----END ${kind}-----`

const TEXTS: readonly (readonly [text: string, redacted: string])[] = [
  // Authorization
  ['Authorization: Bearer abc123', 'Authorization: Bearer ***'],
  ['authorization: bearer 0123456789abcdef0123', 'authorization: bearer …0123'],
  [
    `curl -H 'Authorization: Bearer ${body(30)}' x`,
    `curl -H 'Authorization: Bearer …${body(30).slice(-4)}' x`,
  ],
  ['curl -H "Authorization: token abcdef123456" x', 'curl -H "Authorization: token ***" x'],
  ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic …ZA=='],
  ['Proxy-Authorization: Basic dXNlcjpwYXNz', 'Proxy-Authorization: Basic ***'],
  ['sent Basic dXNlcjpwYXNzd29yZA== along', 'sent Basic *** along'],
  ['{"Authorization": "Bearer s3cr3t-value"}', '{"Authorization": "Bearer ***"}'],
  [String.raw`{\"authorization\":\"Bearer s3cr3t-value\"}`, String.raw`{\"authorization\":\"Bearer ***\"}`],
  ["headers.set('Authorization', 'Bearer s3cr3t-value')", "headers.set('Authorization', 'Bearer ***')"],
  ['Authorization: abc123def456', 'Authorization: ***'],
  ['Authorization: Digest username="a", response="0123456789"', 'Authorization: Digest ***'],
  ['used bearer s3cr3t-value-77 here', 'used bearer *** here'],
  // Other headers
  ['X-Api-Key: abc123', 'X-Api-Key: ***'],
  ["curl -H 'x-auth-token: a1b2c3d4'", "curl -H 'x-auth-token: ***'"],
  ['PRIVATE-TOKEN: a1b2c3', 'PRIVATE-TOKEN: ***'],
  // Cookies
  ['Cookie: sid=abc; theme=dark', 'Cookie: sid=***; theme=***'],
  [
    `Set-Cookie: sid=${body(20)}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; Secure`,
    `Set-Cookie: sid=…${body(20).slice(-4)}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; Secure`,
  ],
  ['{"set-cookie":["a=b1; Path=/"]}', '{"set-cookie":["a=***; Path=/"]}'],
  ["curl --cookie 'sid=abc' x", "curl --cookie 'sid=***' x"],
  // URLs
  ['https://user:hunter2@example.com/x', 'https://user:***@example.com/x'],
  ['postgres://app:p%40ss@db:5432/app?sslmode=require', 'postgres://app:***@db:5432/app?sslmode=require'],
  ['redis://:s3cret@cache:6379/0', 'redis://:***@cache:6379/0'],
  ['mongodb+srv://u:p@ss@host/db', 'mongodb+srv://u:***@host/db'],
  ['https://a1b2c3d4e5f6a7b8c9d0@github.com/o/r', 'https://…c9d0@github.com/o/r'],
  ['https://x.io/cb?token=abc123&next=/home', 'https://x.io/cb?token=***&next=/home'],
  ['https://x.io/?a=1&api_key=abcdef', 'https://x.io/?a=1&api_key=***'],
  ['https://x.io/?access_token=abcdef#top', 'https://x.io/?access_token=***#top'],
  [
    'https://b.blob.core.windows.net/c?sv=1&sig=ab%2Fcd%3D&se=2',
    'https://b.blob.core.windows.net/c?sv=1&sig=***&se=2',
  ],
  ['https://s3/x?X-Amz-Signature=0a1b2c3d4e5f', 'https://s3/x?X-Amz-Signature=***'],
  ['<a href="?a=1&amp;sig=abcdef">', '<a href="?a=1&amp;sig=***">'],
  ['https://x.io/?password=hunter2', 'https://x.io/?password=***'],
  ['curl -u admin:hunter2 https://x', 'curl -u admin:*** https://x'],
  ['curl --user "admin:hunter2" https://x', 'curl --user "admin:***" https://x'],
  // Assignments
  ['PASSWORD=hunter2', 'PASSWORD=***'],
  ['export DB_PASSWORD=correct', 'export DB_PASSWORD=***'],
  ['GITHUB_TOKEN=abc npm publish', 'GITHUB_TOKEN=*** npm publish'],
  ['MY_SECRET="two words"', 'MY_SECRET="***"'],
  ["API_KEY='abc'", "API_KEY='***'"],
  [`AWS_SECRET_ACCESS_KEY=${body(40)}`, `AWS_SECRET_ACCESS_KEY=…${body(40).slice(-4)}`],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY', 'aws_secret_access_key = …fiCY'],
  ['SECRET_KEY_BASE=abcdef', 'SECRET_KEY_BASE=***'],
  ['API_KEY_PROD=abcdef', 'API_KEY_PROD=***'],
  ['SMTP_PASS=hunter', 'SMTP_PASS=***'],
  ['a=1\npassword=hunter\nb=2', 'a=1\npassword=***\nb=2'],
  ['PASSWORD=semi;colon)', 'PASSWORD=***'],
  ['password: hunter2', 'password: ***'],
  ['db:\n  password: "hunter"\n', 'db:\n  password: "***"\n'],
  ['client_secret: a1b2-c3d4', 'client_secret: ***'],
  ['password = "hunter"', 'password = "***"'],
  ["const apiKey = 'abcdef'", "const apiKey = '***'"],
  ['AccountKey=abc123def456==;EndpointSuffix=x', 'AccountKey=***;EndpointSuffix=x'],
  ['Server=x;Password=hunter2;Database=y', 'Server=x;Password=***;Database=y'],
  ['//npm.example.com/:_authToken=a1b2c3', '//npm.example.com/:_authToken=***'],
  ['token: "a1b2c3d4e5f6a7b8"', 'token: "…a7b8"'],
  ['mysql --password hunter2 db', 'mysql --password *** db'],
  ['tool --api-key=abc123 run', 'tool --api-key=*** run'],
  ['OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrst1234', 'OPENAI_API_KEY=sk-proj-…1234'],
  [String.raw`"env":"TOKEN=abcdef\nB=1"`, String.raw`"env":"TOKEN=***\nB=1"`],
  // JSON fields in text
  ['{"access_token":"abc","n":1}', '{"access_token":"***","n":1}'],
  ['{"refresh_token" : "a b"}', '{"refresh_token" : "***"}'],
  ['{"id_token":"x"}', '{"id_token":"***"}'],
  ['{"clientSecret":"x","apiKey":"y"}', '{"clientSecret":"***","apiKey":"***"}'],
  [String.raw`{\"password\":\"a\\\"b\",\"n\":1}`, String.raw`{\"password\":\"***\",\"n\":1}`],
  ["{'password': 'hunter'}", "{'password': '***'}"],
  ['{"password":"cut sho', '{"password":"*** sho'],
  // Private keys
  [pem('PRIVATE KEY', `\n${PEM}\n`), pem('PRIVATE KEY', '***')],
  [pem('RSA PRIVATE KEY', `\n${PEM}\n`), pem('RSA PRIVATE KEY', '***')],
  [pem('OPENSSH PRIVATE KEY', PEM.replaceAll('\n', '\\n')), pem('OPENSSH PRIVATE KEY', '***')],
  [pem('PGP PRIVATE KEY BLOCK', `\nVersion: 1\n\n${PEM}\n`), pem('PGP PRIVATE KEY BLOCK', '***')],
  [
    `-----BEGIN EC PRIVATE KEY-----\n${body(64)}\nthen prose`,
    '-----BEGIN EC PRIVATE KEY-----***\nthen prose',
  ],
  // Private keys in a diff, in code, and cut short there
  [
    `-${pem('RSA PRIVATE KEY', `\n${PEM}\n`).replaceAll('\n', '\n-')}`,
    '------BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----',
  ],
  [
    `+${pem('PRIVATE KEY', `\n${PEM}\n`).replaceAll('\n', '\n+')}`,
    '+-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----',
  ],
  [`------BEGIN PRIVATE KEY-----\n-${body(64)}\n-${body(64)}\n x`, '------BEGIN PRIVATE KEY-----***\n x'],
  [`+-----BEGIN PRIVATE KEY-----\n+${body(64)}\n+ab==\n+x`, '+-----BEGIN PRIVATE KEY-----***\n+x'],
  [`"-----BEGIN PRIVATE KEY-----\\n" +\n  "${body(64)}\\n" +\n`, '"-----BEGIN PRIVATE KEY-----***\\n" +\n'],
  // Names in one piece and in lower case
  ['PGPASSWORD=hunter psql', 'PGPASSWORD=*** psql'],
  ['smtp_pass=hunter', 'smtp_pass=***'],
  ['+smtp_pass=hunter', '+smtp_pass=***'],
  ['-dbpass=hunter', '-dbpass=***'],
  ['MYSQLPWD=hunter', 'MYSQLPWD=***'],
  ['DB_PW=hunter', 'DB_PW=***'],
  ["smtpPass: 'hunter'", "smtpPass: '***'"],
  ['//npm.example.com/:_auth=dXNlcjpwYXNz', '//npm.example.com/:_auth=***'],
  ['_auth = dXNlcjpwYXNzd29yZDEy', '_auth = …ZDEy'],
  ['//npm.example.com/:_authToken a1b2c3d4e5f6a7b8c9', '//npm.example.com/:_authToken …b8c9'],
  ['githubtoken: a1b2c3d4e5f6a7b8', 'githubtoken: …a7b8'],
  [`auth: { user: 'a', pass: 'a1b2c3d4e5f6a7b8' }`, `auth: { user: 'a', pass: '…a7b8' }`],
  ['{"auths":{"r.io":{"auth":"dXNlcjpodW50ZXIy"}}}', '{"auths":{"r.io":{"auth":"…ZXIy"}}}'],
  // Files that keep credentials
  [`    client-key-data: ${body(200)}`, `    client-key-data: …${body(200).slice(-4)}`],
  [`x: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t${body(80)}`, `x: LS0tLS1CRUdJTiB…${body(80).slice(-4)}`],
  ['machine h.io login me password hunter', 'machine h.io login me password ***'],
  ['machine h.io\n  login me\n  password hunter\n', 'machine h.io\n  login me\n  password ***\n'],
  ['password hunter2', 'password ***'],
  ['db.host:5432:app:me:hunter', 'db.host:5432:app:me:***'],
  ['*:*:*:me:hunter', '*:*:*:me:***'],
  [`me:$apr1$abcdefgh$${body(22)}`, `me:$apr1$…${body(22).slice(-4)}`],
  [`me:$2y$10$${body(53)}`, `me:$2y$…${body(53).slice(-4)}`],
  [`root:$6$abcdefgh$${body(86)}:19000:0:99999:7:::`, `root:$6$…${body(86).slice(-4)}:19000:0:99999:7:::`],
  ['me:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'me:{SHA}…j9g='],
  // XML
  ['<password>hunter</password>', '<password>***</password>'],
  ['<ns:Password>two words</ns:Password>', '<ns:Password>***</ns:Password>'],
  ['<string name="api_key">abcdef</string>', '<string name="api_key">***</string>'],
  ['<add key="Password" value="hunter" />', '<add key="Password" value="***" />'],
  ['<key>password</key>\n<string>hunter</string>', '<key>password</key>\n<string>***</string>'],
  // SQL
  ["CREATE USER a IDENTIFIED BY 'hunter';", "CREATE USER a IDENTIFIED BY '***';"],
  ["identified with mysql_native_password by 'hunter'", "identified with mysql_native_password by '***'"],
  ['ALTER USER scott IDENTIFIED BY tiger;', 'ALTER USER scott IDENTIFIED BY ***;'],
  ["ALTER ROLE a WITH ENCRYPTED PASSWORD 'hunter'", "ALTER ROLE a WITH ENCRYPTED PASSWORD '***'"],
  ["SET PASSWORD FOR a = PASSWORD('hunter')", "SET PASSWORD FOR a = PASSWORD('***')"],
  ["CREATE LOGIN a WITH PASSWORD = N'hunter'", "CREATE LOGIN a WITH PASSWORD = N'***'"],
  // Command lines
  ['docker login -u me -p hunter r.io', 'docker login -u me -p *** r.io'],
  ["sshpass -p 'hunter' ssh host", "sshpass -p '***' ssh host"],
  ['sshpass -phunter ssh host', 'sshpass -p*** ssh host'],
  ['mysql -u root -phunter app', 'mysql -u root -p*** app'],
  ['mongosh -u me -p hunter', 'mongosh -u me -p ***'],
  ['redis-cli -h x -a hunter ping', 'redis-cli -h x -a *** ping'],
  ['ldapsearch -D cn=me -w hunter', 'ldapsearch -D cn=me -w ***'],
  ['zip -P hunter a.zip b', 'zip -P *** a.zip b'],
  ['sqlcmd -S x -U sa -P hunter', 'sqlcmd -S x -U sa -P ***'],
  ['smbclient //h/s -U me%hunter', 'smbclient //h/s -U me%***'],
  ['htpasswd -cb file me hunter', 'htpasswd -cb file me ***'],
  ['keytool -storepass hunter2 -list', 'keytool -storepass *** -list'],
  ['openssl rsa -passin pass:hunter -in k', 'openssl rsa -passin pass:*** -in k'],
  [
    'aws configure set aws_secret_access_key a1b2c3d4e5f6a7b8',
    'aws configure set aws_secret_access_key …a7b8',
  ],
  [
    'kubectl create secret generic s --from-literal=password=hunter',
    'kubectl create secret generic s --from-literal=password=***',
  ],
  ['["tool", "--password", "hunter"]', '["tool", "--password", "***"]'],
  ["define( 'DB_PASSWORD', 'hunter' );", "define( 'DB_PASSWORD', '***' );"],
  ['{"name": "DB_PASSWORD", "value": "hunter"}', '{"name": "DB_PASSWORD", "value": "***"}'],
  ['- name: DB_PASSWORD\n  value: hunter\n', '- name: DB_PASSWORD\n  value: ***\n'],
]

it('finds a Telegram token in the address of its bot', () => {
  const token = `123456789:AA${body(33)}`
  expect(redact(`https://api.telegram.org/bot${token}/getMe`)).toBe('https://api.telegram.org/bot…0xYz/getMe')
})

describe('in context', () => {
  it.each(TEXTS)('%j', (text, redacted) => {
    expect(redact(text)).toBe(redacted)
    expect(redact(redacted)).toBe(redacted)
  })
})
