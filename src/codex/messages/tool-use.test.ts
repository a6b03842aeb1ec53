import { describe, expect, it } from 'vitest'
import { callOf, command, project } from './fixtures/projecting.ts'

describe('tool calls', () => {
  it('are an assistant message with one call and a tool message with its result', () => {
    expect(project([command()])).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'codex_exec_call_1',
            type: 'function',
            function: { name: 'exec_command', arguments: '{"command":"ls","cwd":"/w"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'codex_exec_call_1', content: '{"exit_code":0,"output":"a.txt\\n"}' },
    ])
  })

  it.each<[string, object, object]>([
    [
      'a failed command',
      command({ status: 'failed', exitCode: 2, aggregatedOutput: 'no' }),
      { result: '{"exit_code":2,"output":"no","status":"failed"}' },
    ],
    [
      'a declined command',
      command({ status: 'declined', exitCode: null, aggregatedOutput: null }),
      { result: '{"exit_code":null,"output":"","status":"declined"}' },
    ],
    [
      'a file change',
      {
        type: 'fileChange',
        id: 'p1',
        status: 'completed',
        changes: [
          { path: 'a', kind: { type: 'add' }, diff: 'SECRET' },
          { path: 'b', kind: { type: 'update', move_path: 'c' }, diff: '' },
          { path: 'd', kind: { type: 'update', move_path: null }, diff: '' },
        ],
      },
      {
        id: 'codex_apply_patch_p1',
        name: 'apply_patch',
        arguments:
          '{"changes":[{"kind":"add","path":"a"},{"kind":"update","move_path":"c","path":"b"},{"kind":"update","path":"d"}]}',
        result: '{"changes":3,"status":"completed"}',
      },
    ],
    [
      'an MCP call',
      {
        type: 'mcpToolCall',
        id: 'm1',
        server: 'git hub',
        tool: 'list.issues',
        status: 'completed',
        arguments: { z: 1, a: 'é' },
        result: { content: [{ type: 'text', text: 'ok' }], structuredContent: null, _meta: { secret: 1 } },
        error: null,
      },
      {
        id: 'codex_mcp_m1',
        name: 'mcp__git_hub__list_issues',
        arguments: '{"a":"é","z":1}',
        result: '{"content":[{"text":"ok","type":"text"}]}',
      },
    ],
    [
      'a picture from an MCP call',
      {
        type: 'mcpToolCall',
        id: 'm1',
        server: 's',
        tool: 't',
        arguments: [1],
        result: { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(5000) }] },
      },
      {
        arguments: '{"arguments":[1]}',
        result: '{"content":[{"data":"[5000 characters]","mimeType":"image/png","type":"image"}]}',
      },
    ],
    [
      'a failed MCP call',
      { type: 'mcpToolCall', id: 'm1', server: 's', tool: 't', error: { message: 'boom' }, result: null },
      { arguments: '{}', result: '{"error":"boom"}' },
    ],
    [
      'a dynamic tool call',
      {
        type: 'dynamicToolCall',
        id: 'd1',
        namespace: 'my_app',
        tool: 'demo',
        status: 'completed',
        arguments: { city: 'Paris' },
        contentItems: [
          { type: 'inputText', text: 'sunny' },
          { type: 'inputImage', imageUrl: 'data:image/png;base64,AAAA' },
        ],
        success: true,
      },
      {
        id: 'codex_dyn_d1',
        name: 'my_app__demo',
        result:
          '{"content":[{"text":"sunny","type":"inputText"},{"imageUrl":"[image/png, 4 characters]","type":"inputImage"}]}',
      },
    ],
    [
      'a dynamic tool call without content',
      { type: 'dynamicToolCall', id: 'd1', tool: 'demo', contentItems: null, success: false },
      { name: 'demo', result: '{"success":false}' },
    ],
    [
      'a function output',
      { type: 'functionCallOutput', id: 'f1', name: 'lookup', namespace: null, output: 'found' },
      { id: 'codex_fn_f1', name: 'lookup', arguments: '{}', result: 'found' },
    ],
    [
      'a web search',
      {
        type: 'webSearch',
        id: 'w1',
        query: 'codex',
        action: { type: 'search', query: 'codex', queries: null },
        results: null,
      },
      {
        name: 'web_search',
        arguments: '{"action":{"query":"codex","type":"search"},"query":"codex"}',
        result: '{"status":"completed"}',
      },
    ],
    [
      'a viewed image',
      { type: 'imageView', id: 'i1', path: '/w/a.png' },
      { name: 'view_image', arguments: '{"path":"/w/a.png"}' },
    ],
    [
      'a generated image',
      {
        type: 'imageGeneration',
        id: 'g1',
        status: 'completed',
        revisedPrompt: 'a cat',
        failure: null,
        savedPath: '/w/cat.png',
        result: 'A'.repeat(9000),
      },
      {
        name: 'image_generation',
        arguments: '{"prompt":"a cat"}',
        result: '{"saved_path":"/w/cat.png","status":"completed"}',
      },
    ],
    [
      'a collaboration call',
      {
        type: 'collabAgentToolCall',
        id: 'c1',
        tool: 'spawnAgent',
        status: 'completed',
        receiverThreadIds: ['t2'],
        prompt: 'help',
        model: null,
        agentsStates: { t2: { status: 'running', message: null } },
      },
      {
        name: 'spawn_agent',
        arguments: '{"agents":["t2"],"prompt":"help"}',
        result: '{"agents":{"t2":{"message":null,"status":"running"}},"status":"completed"}',
      },
    ],
    [
      'a pause',
      { type: 'sleep', id: 's1', durationMs: 5 },
      { name: 'sleep', arguments: '{"duration_ms":5}' },
    ],
    [
      'a command without any field',
      { type: 'commandExecution' },
      {
        arguments: '{"command":"","cwd":""}',
        result: '{"exit_code":null,"output":"","status":"unknown"}',
      },
    ],
  ])('%s', (_, item, expected) => {
    expect(callOf(project([item]))).toMatchObject(expected)
  })

  it.each(['commandExecution', 'fileChange', 'mcpToolCall', 'dynamicToolCall', 'collabAgentToolCall', 'new'])(
    'make no message while a %s is in progress',
    (type) => {
      expect(project([{ type, id: 'x', status: 'inProgress' }])).toEqual([])
    },
  )
})
