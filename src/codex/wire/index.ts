export { type Channel, type ChannelReader, DEFAULT_MAX_LINE_BYTES } from './channel.ts'
export { Connection, type ConnectionOptions } from './connection.ts'
export { LineSplitter } from './line-splitter.ts'
export {
  isRefusal,
  Refusal,
  type RequestId,
  type WireIncident,
  WireNotification,
  type WireRequest,
} from './message.ts'
