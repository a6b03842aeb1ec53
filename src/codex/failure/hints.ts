import type { FailureCode } from './signs.ts'

/** What a person can do about each kind of failure. */
export const HINTS: Readonly<Record<FailureCode, string>> = {
  'not-logged-in': 'run `drawbridge login`, or try `drawbridge demo`, which needs no account',
  auth: 'log in again with `drawbridge login`, or check the key of your model provider, then retry',
  'usage-limit': 'wait until the limit resets, or use another account',
  'rate-limit': 'wait a little, then retry',
  'context-window': 'compact the thread, or start a new one',
  model: 'check the model name and the provider settings in config.toml',
  overloaded: 'the model or codex is busy: retry in a moment',
  network: 'check the connection to the model provider, then retry',
  unreachable: 'look whether the app-server still runs, connect again, and resume the thread',
  sandbox: 'run `drawbridge doctor` to see what the sandbox lacks',
  policy: 'the provider refused the request: rephrase it',
  'bad-config': 'correct config.toml in CODEX_HOME; `drawbridge doctor` shows what is wrong',
  unsupported: 'use a codex version that has it, or do without',
  'codex-missing': 'install codex with `npm install -g @openai/codex`, or set DRAWBRIDGE_CODEX',
  'codex-crashed': 'resume the thread: what codex had completed is kept',
  protocol: 'codex and Drawbridge do not understand each other: check that the codex version is one we test',
  deadline: 'allow more time, or retry',
  other: 'see the message',
}
