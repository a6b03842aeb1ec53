import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/** A certificate for this name that vouches for itself, and its key: PEM. `subjectAltName` as openssl wants it. */
export async function selfSigned(subjectAltName: string): Promise<{ certificate: string; key: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'drawbridge-certificate-'))
  try {
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')]
    const words = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    const named = ['-subj', '/CN=drawbridge test', '-addext', `subjectAltName=${subjectAltName}`]
    await promisify(execFile)('openssl', [...words, ...named, '-keyout', key, '-out', certificate])
    return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') }
  } finally {
    await rm(folder, { recursive: true })
  }
}
