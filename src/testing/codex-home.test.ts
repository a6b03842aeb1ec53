import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openScriptedCodex } from '../../test/support/scripted-codex.ts'
import { makeCodexHome, makeWorkspace, message, shell, toolOutputs } from './index.ts'

it('is private, and gone after remove', async () => {
  const home = await makeCodexHome({ url: 'http://127.0.0.1:1/v1' })
  expect((await stat(home.path)).mode & 0o777).toBe(0o700)
  await home.remove()
  await expect(stat(home.path)).rejects.toThrow('ENOENT')
  await home.remove()
})

it('lets the caller override, add and take out settings', async () => {
  const home = await makeCodexHome(
    { url: 'http://127.0.0.1:1/v1' },
    {
      modelName: 'gpt-5.5',
      config: { 'features.shell_snapshot': true, allow_login_shell: null, notify: ['say', 'it'] },
      toml: '[mcp_servers.x]\ncommand = "x"\n',
    },
  )
  onTestFinished(home.remove)
  const text = await readFile(path.join(home.path, 'config.toml'), 'utf8')
  expect(text).toContain('model = "gpt-5.5"\n')
  expect(text).toContain('features.shell_snapshot = true\n')
  expect(text).toContain('notify = ["say", "it"]\n')
  expect(text).not.toContain('allow_login_shell')
  expect(text).toMatch(/\[mcp_servers\.x\]\ncommand = "x"\n\n$/)
})

it('gives codex settings it accepts', async () => {
  const { codex, home } = await openScriptedCodex([], {
    home: { config: { 'features.goals': false }, toml: '[mcp_servers.x]\ncommand = "x"\nenabled = false\n' },
  })
  const { result } = await codex.request('config/read', { includeLayers: false })
  expect(result.config).toMatchObject({
    model: 'scripted',
    features: { goals: false, shell_snapshot: false },
  })
  expect(home.path).not.toMatch(/^\/tmp/)
})

it('lies where codex can run a sandboxed command with a terminal', async () => {
  const { codex, model, threadId } = await openScriptedCodex([
    shell('test -t 0 && echo terminal', { arguments: { tty: true } }),
    message('done'),
  ])
  await codex.turn(threadId, 'go')
  expect(toolOutputs(model.requests[1]!)[0]!.text).toMatch(/exited with code 0[\s\S]*terminal/)
})

it('makes a workspace with files, as a git repository when asked', async () => {
  const workspace = await makeWorkspace({ git: true, files: { 'src/a.txt': 'one\n' } })
  onTestFinished(workspace.remove)
  expect((await readdir(workspace.path)).sort()).toEqual(['.git', 'src'])
  expect(await readFile(path.join(workspace.path, 'src/a.txt'), 'utf8')).toBe('one\n')
})
