export { RemoteHost } from './remote-host.ts'
export { type RemoteRecord, RemoteRecords } from './remote-record.ts'
