// Where codex versions truly differ: one row per difference, one column per version. All else the suite expects of
// every version alike. docs/internals/protocol-notes.md says which code each difference concerns.

const VERSIONS = ['0.125.0', '0.130.0', '0.142.5', '0.150.1', '0.166.0'] as const

export type Version = (typeof VERSIONS)[number]
type Row<T> = readonly [v125: T, v130: T, v142: T, v150: T, v166: T]

const inTurn = ['userMessage', 'commandExecution', 'fileChange', 'agentMessage']
const noCommands = inTurn.filter((type) => type !== 'commandExecution')
const safeGit: readonly string[] = [
  'git-fsmonitor',
  'git-textconv',
  'git-external-diff',
  'git-filter',
  'git-bare',
  'proc-environ',
]
const textOnly = ['userMessage', 'agentMessage']

// biome-ignore format: a table
const table = {
  /** Notifications carry `emittedAtMs`. */
  stampsNotifications:     [false, false, false, true, true],
  /** How many items `turn/completed` repeats: the last message, or none. */
  repeatedItems:           [0, 0, 0, 1, 1],
  /** Before each model call `thread/tokenUsage/updated` says the old counters once more, under the new turn's id. */
  repeatsUsage:            [true, true, false, false, false],
  /** A command's `item/completed` can come after that of the item that follows it. */
  endsLate:                [true, false, false, false, false],
  /** Fields of a command approval that came with later versions. */
  approvalFields:          [[], ['startedAtMs'], ['startedAtMs', 'environmentId'],
                            ['startedAtMs', 'environmentId', 'kind'], ['startedAtMs', 'environmentId', 'kind']],
  /** Approval policy `untrusted` asks also for commands that only read. */
  untrustedAsksToRead:     [false, false, false, true, true],
  /** Commands of test/attack that codex itself holds for safe: it lets them out of the sandbox without asking. */
  unaskedEscapes:          [safeGit, safeGit, [], [], []],
  /** Approval policy `on-failure` still exists. */
  hasOnFailure:            [true, true, true, false, false],
  /** How the item of a file change ends whose approval is cancelled. */
  cancelledFileChange:     ['declined', 'no item', 'no item', 'no item', 'no item'],
  /** The namespace of an MCP server's tools, as the model calls them. */
  mcpNamespace:            ['mcp__asker__', 'mcp__asker__', 'mcp__asker', 'mcp__asker', 'mcp__asker'],
  /** ChatGPT tokens that the client brings can be used without OpenAI's own servers. */
  refreshesTokens:         [true, true, true, true, false],
  /** Steering cuts off what the model is saying; otherwise the input waits for the end of it. */
  steerCutsStream:         [false, false, false, false, true],
  /** The user's message carries the id the client gave it. */
  echoesClientMessageId:   [false, false, true, true, true],
  /** What comes of naming a permission profile in today's way: its sandbox, or a refusal. Never another sandbox. */
  namedReadOnlyProfile:    ['refused', 'refused', 'readOnly', 'readOnly', 'readOnly'],
  /** `thread/turns/list` needs the experimental capability. */
  isPagingExperimental:    [false, true, true, true, false],
  /** What another process reads of a turn that had a command, a file change and a message. */
  itemsAfterRestart:       [textOnly, noCommands, noCommands, noCommands, inTurn],
  /** Messages have the same ids there. */
  keepsItemIds:            [false, false, false, false, true],
  /** `thread/rollback` exists. */
  hasRollback:             [true, true, true, true, false],
  /** A second process may load a thread that the first still has. */
  allowsTwoWriters:        [true, true, true, false, false],
  /** In an untrusted folder commands cannot read logins. */
  protectsLogins:          [true, true, false, false, true],
  /** What an approved command reaches there: outside its folder, the network, logins. */
  approvedReaches:         ['written network login', 'written network login', 'written network login',
                            'written network login', 'written'],
  /** Hooks of a trusted repository run, without a trust of their own. */
  runsRepoHooks:           [true, false, false, false, false],
} satisfies Record<string, Row<unknown>>

export type Expectations = { readonly [K in keyof typeof table]: (typeof table)[K][number] }

export function expectationsOf(version: Version): Expectations {
  const column = VERSIONS.indexOf(version)
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[column]])) as Expectations
}
