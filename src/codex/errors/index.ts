// Errors by class and code, for every part of the library.
export {
  DrawbridgeError,
  OVERLOADED,
  RequestTimeoutError,
  RpcError,
  TransportClosedError,
  UnexpectedReplyError,
} from './errors.ts'
export { hasCode, isDrawbridgeError } from './has-code.ts'
export { replyText } from './reply-text.ts'
export {
  isStaleTurn,
  isThreadGone,
  NothingToResumeError,
  openingError,
  ResumedOtherThreadError,
  StaleTurnError,
  ThreadArchivedError,
  ThreadBusyError,
  ThreadHasWriterError,
} from './thread-errors.ts'
export { ExperimentalMethodError, requireSupport, UnsupportedError, unsupportedBy } from './unsupported.ts'
