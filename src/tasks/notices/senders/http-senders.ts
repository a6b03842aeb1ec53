import type { TargetKind } from '../../targets/index.ts'
import { discord } from './discord.ts'
import { feishu } from './feishu.ts'
import type { HttpSender } from './http-sender.ts'
import { slack, slackBot } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

export type HttpKind = Exclude<TargetKind, 'local' | 'email'>

export const HTTP_SENDERS: { readonly [Kind in HttpKind]: HttpSender<Kind> } = {
  webhook,
  slack,
  'slack-bot': slackBot,
  telegram,
  discord,
  feishu,
}
