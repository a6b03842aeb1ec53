import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { dumpCommand } from './dump-command.ts'

/** As a shell gives them to the program. */
function wordsOf(command: string): string[] {
  return execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

it('names the database for pg_dump, and never the password', () => {
  expect(dumpCommand('postgres://ada:s3cret@db.example:5433/bridge', 'copy.dump')).toBe(
    "pg_dump --format=custom --file=copy.dump --dbname='host=db.example port=5433 user=ada dbname=bridge sslmode=require'",
  )
})

it('quotes what a shell or libpq would read otherwise', () => {
  const url = 'postgres://a%27b:s3cret@localhost/my%20db?sslrootcert=/etc/ca%20file.pem&sslmode=verify-full'
  expect(wordsOf(dumpCommand(url, "it's here.dump"))).toEqual([
    'pg_dump',
    '--format=custom',
    "--file=it's here.dump",
    String.raw`--dbname=host=localhost port=5432 user='a\'b' dbname='my db' sslmode=verify-full sslrootcert='/etc/ca file.pem'`,
  ])
})
