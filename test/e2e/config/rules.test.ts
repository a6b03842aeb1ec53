// Permission rules of Claude Code, held to what the real codex makes of the file, and kept by a real service.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configStage } from '../../support/config-stage.ts'
import { bundledCodex } from '../../support/raw-codex.ts'
import { runCli } from '../../support/run-cli.ts'

const SETTINGS = {
  '.claude/settings.json': JSON.stringify({
    permissions: {
      allow: ['Bash(git diff:*)', "Bash(echo 'a b':*)", 'Bash(npm test)', 'mcp__github__get_issue'],
      deny: ['Bash(rm:*)'],
      ask: ['Bash(git push:*)'],
    },
  }),
}

describe('drawbridge config import --rules', () => {
  it('codex: the real codex answers as Claude Code would', async () => {
    const stage = await configStage({ user: SETTINGS })
    const end = await stage.config('import', '--yes', '--json', '--rules', 'codex')
    expect(JSON.parse(end.stdout)).toMatchObject({
      written: true,
      rules: { leftOut: [{ text: 'Bash(npm test)' }, {}] },
    })
    const file = path.join(stage.codexHome, 'rules', 'drawbridge-imported.rules')
    const decide = (...words: string[]) => {
      const out = execFileSync(bundledCodex(), ['execpolicy', 'check', '-r', file, ...words], {
        env: { PATH: process.env.PATH, HOME: stage.home, CODEX_HOME: stage.codexHome },
        timeout: 20_000,
        encoding: 'utf8',
      })
      return JSON.parse(out).decision as string | undefined
    }
    expect(decide('git', 'diff')).toBe('allow')
    expect(decide('git', 'diff', '--stat')).toBe('allow')
    expect(decide('git', 'difftool')).toBeUndefined()
    expect(decide('echo', 'a b', 'c')).toBe('allow')
    expect(decide('echo', 'a')).toBeUndefined()
    expect(decide('rm', '-rf', 'x')).toBe('forbidden')
    expect(decide('git', 'push')).toBe('prompt')
    expect(decide('npm', 'test', '--', '--update')).toBeUndefined()
    expect((await stage.config('import', '--yes', '--rules', 'codex')).stderr).toBe('Nothing to change.\n')
    const settings = path.join(stage.home, '.claude', 'settings.json')
    writeFileSync(settings, '{ "permissions": { "allow": ["Bash(ls:*)"], "deny": [{}] } }')
    expect(await stage.config('import', '--yes', '--rules', 'codex')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        'permissions.deny that are not a list of texts, so no rules are imported',
      ),
    })
    expect(decide('rm', '-rf', 'x')).toBe('forbidden')
    await stage.config('undo')
    expect(existsSync(file)).toBe(false)
  })

  it('drawbridge: they stand for all tasks, each once', async () => {
    const stage = await configStage({ user: SETTINGS })
    onTestFinished(async () => void (await runCli(['stop', '--now'], { env: stage.env })))
    for (let time = 0; time < 2; time++) {
      const end = await stage.config('import', '--yes', '--json', '--rules', 'drawbridge')
      expect(JSON.parse(end.stdout)).toMatchObject({ errors: [], rules: { leftOut: [] } })
    }
    const told = await stage.config('import', '--yes', '--rules', 'drawbridge')
    expect(told).toMatchObject({ code: 0, stderr: '0 servers imported.\n' })
    expect(await stage.config('undo')).toMatchObject({ code: 1 })
    const { stdout } = await runCli(['rules', 'list', '--json'], { env: stage.env })
    expect(
      JSON.parse(stdout)
        .map(({ text }: { text: string }) => text)
        .sort(),
    ).toEqual([
      "allow command echo 'a b'",
      'allow command git diff',
      'allow exact npm test',
      'allow mcp github.get_issue',
      'ask command git push',
      'deny command rm',
    ])
  })
})
