// Literal secrets in the servers of a config.toml, so that they can be hidden wherever it is shown.
import { isTable, textOf, textsOf } from '../untyped.ts'
import { isSecretNamed, isSecretUrl, secretArguments, secretParts } from './secret-values.ts'

export function serverSecrets(servers: unknown): string[] {
  return Object.values(isTable(servers) ? servers : {}).flatMap((server) => {
    if (!isTable(server)) return []
    const url = textOf(server.url)
    const args = textsOf(server.args) ?? []
    return [
      ...(url !== null && isSecretUrl(url) ? [url, ...secretParts(url)] : []),
      ...secretArguments(args).flatMap((at) => [args[at]!, ...secretParts(args[at]!)]),
      ...namedSecrets(server.env),
      ...namedSecrets(server.http_headers),
    ]
  })
}

function namedSecrets(values: unknown): string[] {
  return Object.entries(isTable(values) ? values : {}).flatMap(([name, value]) => {
    const text = textOf(value)
    return text !== null && isSecretNamed(name, text) ? [text, ...secretParts(text)] : []
  })
}
