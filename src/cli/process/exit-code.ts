// What the exit codes mean, in one place. `--help` prints this table.

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  declined: 3,
  limited: 4,
  unsuitable: 5,
  timedOut: 124,
  interrupted: 130,
} as const

export const EXIT_CODES_HELP = `
Exit codes:
  0    done
  1    failed
  2    bad usage
  3    done, but Codex asked for something and was declined
  4    a usage limit was reached
  5    codex is missing, unsuitable or not logged in
  124  timed out
  130  interrupted`
