import { readAddress } from './address.ts'

/** What makes a backup of a database, for a shell. It asks for the password, or takes it from PGPASSWORD or ~/.pgpass. */
export function dumpCommand(url: string, file: string): string {
  const { host, port, user, database, tls, rootCertificate } = readAddress(url)
  const parts = {
    ...{ host, port, user, dbname: database, sslmode: tls },
    ...(rootCertificate !== null && { sslrootcert: rootCertificate }),
  }
  const words = Object.entries(parts).map(([name, value]) => `${name}=${connectionValue(String(value))}`)
  return `pg_dump --format=custom --file=${shellWord(file)} --dbname=${shellWord(words.join(' '))}`
}

/** As libpq reads it in a connection string. */
function connectionValue(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
}

function shellWord(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
