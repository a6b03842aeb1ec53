// What the model hands to people and programs while it works: files, its progress, links, messages; and their answers.
import { CallerMessages, type CallerMessagesParts } from './caller-messages.ts'
import { Deliverables, type DeliverablesParts } from './deliverables.ts'
import { SaidWords } from './said-words.ts'

export interface Handover {
  readonly deliverables: Deliverables
  readonly said: SaidWords
  readonly callerMessages: CallerMessages
}

export function openHandover(parts: DeliverablesParts & CallerMessagesParts): Handover {
  return {
    deliverables: new Deliverables(parts),
    said: new SaidWords(parts),
    callerMessages: new CallerMessages(parts),
  }
}
