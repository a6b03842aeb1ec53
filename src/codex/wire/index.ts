export { type Channel, type ChannelReader, DEFAULT_MAX_LINE_BYTES } from './channel.ts'
export { LineSplitter } from './line-splitter.ts'
