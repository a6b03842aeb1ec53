// One answer to one question, and what came of it.
import type { Approval, Decide } from '../../api/index.ts'
import { type Answer, DrawbridgeError, type Question } from '../../codex/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { answerCommand, answerVerb, needsValues, tooLateText } from '../prompts/index.ts'
import { printJson, visibleLine } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'
import { findApprovalId, shortId } from '../tasks/index.ts'

export type Make = (approval: Approval) => Decide | Promise<Decide>

export async function decideOn(
  given: string,
  make: Make,
  { flags, surroundings }: { flags: ServiceFlags; surroundings: Surroundings },
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const approvalId = await findApprovalId(client, given)
  const decide = await make(await client.approval(approvalId))
  const decided = await client.answer(approvalId, decide).catch((error: unknown) => {
    throw settled(error) ?? error
  })
  if (flags.json) printJson(surroundings, decided)
  else surroundings.stderr.write(`${decidedText(decided)}\n`)
  return EXIT.done
}

/** What is to be known is not allowed, but told. */
export function requireNoValues({ id, status, question }: Approval): void {
  if (status !== 'pending' || !needsValues(question as Question)) return
  throw new UsageError(`this asks for values: ${answerCommand(shortId(id), question as Question)}`)
}

function decidedText({ answer, question }: Approval): string {
  const verb = answerVerb(answer as Answer, question.kind)
  return `${verb[0]!.toUpperCase()}${verb.slice(1)}: ${visibleLine(question.title)}`
}

function settled(error: unknown): DrawbridgeError | null {
  if (!(error instanceof DrawbridgeError) || error.code !== 'approval-settled') return null
  const { approval } = Object(Object(error).details) as { approval?: Approval }
  return approval ? new DrawbridgeError(tooLateText(approval), { code: error.code }) : error
}
