import type { Command } from 'commander'
import { addExamples } from '../help/index.ts'
import { collect } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addDataDirOption, dataDirOf, type ServiceFlags } from '../service/index.ts'
import type { ServeFlags } from './serve.ts'

const SERVE_HELP = `
Commands like \`drawbridge task start\` start a service in the background when none runs; this one stays in front.
Ctrl-C or TERM leaves at once: turns go on in their app-servers, and the next start takes them over. A second signal
does not even wait for that. \`drawbridge stop\` lets the turns end first.
Settings are in settings.json in the data folder; docs/user/service.md has them all.`

export function addServeCommand(program: Command, surroundings: Surroundings): void {
  const serve = program
    .command('serve')
    .summary('run the service: tasks, API and console')
    .description('Runs the service of a data folder until it is told to stop.')
    .option('--port <port>', 'where to listen (default: 4100, or the next that is free)')
    .option('--host <address>', 'which address to listen on (default: 127.0.0.1)')
    .option(
      '--allow-host <name>',
      'a name under which it may be asked, besides its own; repeatable (default: as in the settings)',
      collect,
      [],
    )
  addDataDirOption(serve)
    .option('--open', 'open the console in a browser')
    .option('--tls-cert <file>', 'a certificate, PEM, to serve other machines')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--insecure', 'serve other machines without TLS: whoever listens in between can do everything')
    .option('--demo', 'tell how to try the built-in demo model')
    .option('--log-file <file>', 'keep this log short: our output goes there')
    .option('--json', 'print one JSON line: url, loginLink, pid')
    .action(
      acting(surroundings, async (flags: ServeFlags & ServiceFlags) => {
        const { serve: run } = await import('./serve.ts')
        return run(flags, dataDirOf(flags, surroundings), surroundings)
      }),
    )
  addExamples(
    serve,
    [
      'drawbridge serve',
      'drawbridge serve --port 0 --json | jq -r .loginLink',
      'drawbridge serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --allow-host bridge.example.com',
    ],
    SERVE_HELP,
  )
}
