import { SshHostError } from './ssh-host-error.ts'

/** What ssh said when it gave up, in our words. Keys of hosts are looked at elsewhere. */
export function explainFailure(
  stderr: string,
  { host, destination }: { host: string; destination: string },
): SshHostError {
  const said = lastLines(stderr)
  const failed = (
    code: SshHostError['code'],
    options: { what: string; hint: string; retryable?: boolean },
  ): SshHostError =>
    new SshHostError(`${host} (${destination}) ${options.what}: ${said || 'ssh said nothing'}`, {
      code,
      host,
      ...options,
    })
  if (/permission denied|too many authentication failures|no supported authentication/i.test(stderr)) {
    return failed('ssh-auth-refused', {
      what: 'did not let us in',
      hint: `try \`ssh ${destination}\` yourself: it must log in without asking (a key without a passphrase, or one in the ssh agent)`,
    })
  }
  if (
    /bad configuration|bad owner or permissions|unknown option|extra arguments|unsupported option/i.test(
      stderr,
    )
  ) {
    return failed('ssh-unreachable', { what: 'cannot be tried', hint: 'correct your ssh config' })
  }
  if (/could not resolve|name or service not known/i.test(stderr)) {
    return failed('ssh-unreachable', {
      what: 'is not a name that is known',
      hint: 'check the address of the host',
      retryable: true,
    })
  }
  return failed('ssh-unreachable', {
    what: 'cannot be reached',
    hint: `check that the host is on and that \`ssh ${destination}\` works`,
    retryable: true,
  })
}

export type KeyTrouble = 'unknown' | 'changed'

/** Whether it was the key of a host that ssh refused. */
export function keyTroubleIn(stderr: string): KeyTrouble | null {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed|REVOKED HOST KEY/.test(stderr))
    return 'changed'
  return /host key is known for|Host key verification failed/.test(stderr) ? 'unknown' : null
}

export function lastLines(text: string): string {
  return (
    text
      .split('\n')
      // Controls that a terminal or a log would act on.
      .map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
      .filter((line) => line !== '' && !/^@+$/.test(line))
      .slice(-4)
      .join(' · ')
      .slice(0, 1000)
  )
}
