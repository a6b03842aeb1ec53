export { type RefusedRequest, type ServerRequestHandlers, ServerRequests } from './server-requests.ts'
