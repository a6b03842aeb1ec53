// What of the environment on a host an app-server there, and with it every command it runs, gets to see: as on this machine.
import { ALLOWED_VARIABLES } from '../local/environment.ts'
import { DID_NOT_START } from './server-scripts.ts'
import { quote } from './shell.ts'

/** Of the connection, or places that the protection of logins would not know. */
const LEFT_OUT = new Set(
  `TMPDIR TEMP TMP SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS`.split(
    ' ',
  ),
)
/** For the shell itself. */
const KEPT = ['PWD', 'OLDPWD', 'IFS']

/**
 * Comes before everything else: a variable of ours that has the name of one of theirs would be dropped with it. The script
 * ends where that cannot be done: codex would get all of them.
 */
export function cleanEnvironment(passEnv: readonly string[]): string {
  const { names, prefixes, secrets } = ALLOWED_VARIABLES
  const kept = [...names.filter((name) => !LEFT_OUT.has(name)), ...KEPT].join(' ')
  const known = `-v kept=${quote(kept)} -v passed=${quote(passEnv.join(' '))} -v secrets=${quote(secrets)}`
  return `
drawbridge_names=$({ env && echo '=all'; } | LC_ALL=C awk -F= ${known} -v prefixes=${quote(`^(${prefixes.join('|')})`)} '
  BEGIN {
    for (n = split(kept, list, " "); n > 0; n--) isKept[list[n]] = 1
    for (n = split(passed, list, " "); n > 0; n--) isPassed[list[n]] = 1
  }
  /^[A-Za-z_][A-Za-z0-9_]*=/ && !($1 in isPassed) {
    name = toupper($1)
    if (name ~ secrets || !(name in isKept || name ~ prefixes)) print $1
  }
  { isAll = $0 == "=all" }
  END { if (isAll) print "all" }')
case $drawbridge_names in
  all) ;;
  *"
all") for name in \${drawbridge_names%all}; do unset "$name"; done;;
  *) printf 'failed=%s\\000' 'without env and awk there codex would be given all variables of the account'; exit ${DID_NOT_START};;
esac
unset drawbridge_names
`
}
