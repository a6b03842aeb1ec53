export {
  type RefusedRequest,
  type RequestContext,
  type ServerRequestHandlers,
  ServerRequests,
} from './server-requests.ts'
