import { expect, it } from 'vitest'
import { catalogue } from './catalogue.ts'

const MAX_TOKENS = 3_000

it('is short enough to stand before every request of a model', async () => {
  const { tools, tokens } = await catalogue()
  console.info(`the catalogue: ${tools.length} tools, about ${tokens} tokens`)
  expect(tools.length).toBeLessThanOrEqual(12)
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS)
})

it('offers nothing without a sandbox or without questions, and no output schemas', async () => {
  const { tools } = await catalogue()
  const text = JSON.stringify(tools)
  for (const word of [
    'danger',
    'full-access',
    '"never"',
    'trusted"',
    'outputSchema":{"type":"object","$schema',
  ])
    expect(text).not.toContain(`${word}`.replace('trusted"', '"trusted"'))
  expect(tools.every((tool) => !Object.hasOwn(tool as object, 'outputSchema'))).toBe(true)
})
