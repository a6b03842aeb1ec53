import { expect, it } from 'vitest'
import { PlanLines } from './plan-lines.ts'

const steps = (...states: ('pending' | 'inProgress' | 'completed')[]) =>
  states.map((status, index) => ({ step: `step ${index}`, status }))

it('shows a new plan whole, and then where it is', () => {
  const plan = new PlanLines()
  expect(plan.of(steps('completed', 'inProgress'))).toEqual(['Plan:', '  1. step 0 ✔', '  2. step 1'])
  expect(plan.of(steps('completed', 'inProgress'))).toEqual(['▸ 2 of 2: step 1'])
  expect(plan.of(steps('completed', 'completed'))).toEqual(['▸ all 2 steps are done'])
  expect(plan.of(steps('completed', 'pending'))).toEqual([])
})

it('shows a plan that has changed whole again, and none for an empty one', () => {
  const plan = new PlanLines()
  plan.of(steps('inProgress'))
  expect(plan.of(steps('completed', 'inProgress'))).toHaveLength(3)
  expect(plan.of([])).toEqual([])
})
