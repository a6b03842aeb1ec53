// What is configured in other applications: where, and in one shape.
export { APPLICATIONS, type FoundSource, findSources, isSourceName, sourcePlaces } from './find-sources.ts'
export type { FoundServer, LeftOut, Origin } from './found-server.ts'
export { type Interpolated, outline, plainText, writtenText } from './interpolated.ts'
export { inHome, type Machine } from './places.ts'
export { type FileProblem, readDocument } from './read-document.ts'
