import type { Approval, Decide } from '../../api/index.ts'
import type { Surroundings } from '../process/index.ts'
import { answerFromValues } from './answer-values.ts'
import { type Given, requireValues } from './required-values.ts'
import { secretValues } from './secret-values.ts'

/** The answer with the values of the command line, and those that are typed or read. */
export async function answerWith(
  question: Approval['question'],
  given: Given,
  { isOpen, surroundings }: { isOpen: boolean; surroundings: Surroundings },
): Promise<Decide['answer']> {
  if (isOpen) requireValues(question, given)
  const secrets = await secretValues(question, given.secret, surroundings)
  return answerFromValues(question, [...given.value, ...secrets])
}
