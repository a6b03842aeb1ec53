// Questions of every kind, for tests of who answers them and how they are shown.
import type {
  Choice,
  CommandQuestion,
  ElicitationQuestion,
  FileChangeQuestion,
  McpToolQuestion,
  PermissionsQuestion,
  UserInputQuestion,
} from '../../src/codex/index.ts'

const choices: readonly Choice[] = [
  { word: 'once', effect: 'it runs now', lasts: 'now' },
  { word: 'session', effect: 'it runs without asking', lasts: 'thread' },
  { word: 'deny', effect: 'it does not run', lasts: 'now' },
]
const asked = {
  requestId: 1,
  threadId: 'thread-1',
  turnId: 'turn-1',
  itemId: 'item-1',
  parent: null,
  reason: null,
  choices,
  params: {},
}

export function commandQuestion(more: Partial<CommandQuestion> = {}): CommandQuestion {
  const command = more.command ?? "/bin/bash -lc 'touch made'"
  return {
    ...asked,
    kind: 'command',
    method: 'item/commandExecution/requestApproval',
    title: `run ${command}`,
    command,
    argv: null,
    cwd: '/repo',
    actions: [],
    network: null,
    additionalPermissions: null,
    escalation: null,
    params: { command },
    ...more,
  }
}

export function fileChangeQuestion(more: Partial<FileChangeQuestion> = {}): FileChangeQuestion {
  return {
    ...asked,
    kind: 'file-change',
    method: 'item/fileChange/requestApproval',
    title: 'change a.txt',
    changes: [{ path: '/srv/a.txt', kind: { type: 'add' }, diff: 'one\n' }],
    grantRoot: null,
    cwd: '/repo',
    ...more,
  }
}

export function permissionsQuestion(permissions: PermissionsQuestion['permissions']): PermissionsQuestion {
  return {
    ...asked,
    kind: 'permissions',
    method: 'item/permissions/requestApproval',
    title: 'be allowed more',
    permissions,
    cwd: '/repo',
  }
}

export function mcpToolQuestion(more: Partial<McpToolQuestion> = {}): McpToolQuestion {
  return {
    ...asked,
    kind: 'mcp-tool',
    method: 'mcpServer/elicitation/request',
    title: 'Allow it?',
    server: 'github',
    tool: 'get_issue',
    description: null,
    arguments: { number: 1 },
    ...more,
  }
}

export function elicitationQuestion(more: Partial<ElicitationQuestion> = {}): ElicitationQuestion {
  return {
    ...asked,
    kind: 'elicitation',
    method: 'mcpServer/elicitation/request',
    title: 'server: Who?',
    server: 'server',
    message: 'Who?',
    schema: null,
    url: null,
    ...more,
  }
}

export function userInputQuestion(questions: UserInputQuestion['questions']): UserInputQuestion {
  return {
    ...asked,
    kind: 'user-input',
    method: 'item/tool/requestUserInput',
    title: 'Which?',
    questions,
    isBlocking: true,
    delivery: 'request',
    choices: choices.filter(({ word }) => word === 'deny'),
  }
}
