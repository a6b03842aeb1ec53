import type { FoundServer } from '../sources/index.ts'
import { type CodexServer, codexName } from './codex-server.ts'
import type { FixedTextContext } from './fixed-text.ts'
import { repeatedSecret } from './repeated-secret.ts'
import { shownServer } from './shown-server.ts'
import { translateHttp } from './translate-http.ts'
import { translateStdio } from './translate-stdio.ts'
import { type Allowed, type Translation, TranslationNotes } from './translation.ts'

/** What codex would be told of a server, exactly; what it cannot be told is noted, never guessed. */
export function translateServer(
  server: FoundServer,
  { env, allowed }: { env: Readonly<Record<string, string | undefined>>; allowed: Allowed },
): Translation {
  const out = new TranslationNotes()
  const name = codexName(server.name)
  if (name === null) out.refuse('nothing of its name can be a name in Codex: rename it there')
  else if (name !== server.name)
    out.note('name', `is ${name} in Codex, which takes letters, digits and _:@/.-`)
  const transported = translateTransport(server, { server, env, allowed, out })
  const repeated = repeatedSecret(server)
  if (repeated !== null)
    out.refuse(
      `${repeated} is a secret that also stands in its command, arguments or url: write the server into config.toml yourself`,
    )
  const table = out.problem === null && transported ? { ...transported, ...common(server) } : null
  return {
    name,
    server,
    table,
    shown: table && shownServer(table, out.filledIn),
    problem: out.problem,
    notes: out.notes,
    leftOut: server.leftOut,
    asks: out.asks,
    needs: [...out.needs],
    secrets: [...new Set(out.secrets)],
  }
}

function translateTransport(server: FoundServer, context: FixedTextContext): CodexServer | null {
  switch (server.transport) {
    case 'stdio':
      return translateStdio(server, context)
    case 'http':
      return translateHttp(server, context)
    case 'sse':
      // Translated all the same: what is secret in it has to be known.
      translateHttp(server, context)
      context.out.asks.length = 0
      context.out.problem =
        'it speaks SSE, which Codex does not: use its streamable HTTP address (often /mcp), or put mcp-remote before it'
      return null
    default:
      context.out.refuse('it has neither a command nor a url')
      return null
  }
}

function common(server: FoundServer): CodexServer {
  const { isEnabled, startupTimeoutSec, toolTimeoutSec, enabledTools, disabledTools } = server
  return {
    ...(!isEnabled && { enabled: false as const }),
    ...(startupTimeoutSec !== null && { startup_timeout_sec: startupTimeoutSec }),
    ...(toolTimeoutSec !== null && { tool_timeout_sec: toolTimeoutSec }),
    ...(enabledTools !== null && { enabled_tools: enabledTools }),
    ...(disabledTools !== null && disabledTools.length > 0 && { disabled_tools: disabledTools }),
  }
}
