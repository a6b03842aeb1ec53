// Tools by which the model hands files over and speaks to people and to the program that embeds Drawbridge. They only check and
// pass on; who hears it decides what becomes of it.
import type { Tool } from '../../codex/index.ts'
import { type DeliverOptions, deliverTool } from './deliver.ts'
import {
  attentionTool,
  type OnAttention,
  type OnCallerMessage,
  type OnStatus,
  type OnUrl,
  openUrlTool,
  statusTool,
  tellCallerTool,
} from './said.ts'

export type { DeliverOptions, HandedFile } from './deliver.ts'
export type { OnAttention, OnCallerMessage, OnStatus, OnUrl } from './said.ts'

/** Who hears what the model says. The model gets a tool for each that is there. */
export interface InsideTools {
  /** `deliver(path, title, note)` */
  readonly deliver?: DeliverOptions | undefined
  /** `status(text, percent)` */
  readonly status?: OnStatus | undefined
  /** `attention(reason)` */
  readonly attention?: OnAttention | undefined
  /** `open_url(url)`. Nothing opens it: show it in full. */
  readonly openUrl?: OnUrl | undefined
  /** `tell_caller(name, data)` */
  readonly tellCaller?: OnCallerMessage | undefined
}

/** For one thread: how often they may be called is counted together. */
export function insideTools({
  deliver,
  status,
  attention,
  openUrl,
  tellCaller,
}: InsideTools): readonly Tool[] {
  return [
    ...(deliver ? [deliverTool(deliver)] : []),
    ...(status ? [statusTool(status)] : []),
    ...(attention ? [attentionTool(attention)] : []),
    ...(openUrl ? [openUrlTool(openUrl)] : []),
    ...(tellCaller ? [tellCallerTool(tellCaller)] : []),
  ]
}
