// A workspace and a thread as one thing that can be kept, moved and taken up again.
export type { SnapshotFacts } from './facts.ts'
export type { SnapshotSettings } from './snapshot-parts.ts'
export { type TakenSnapshots, takenSnapshots } from './taken-snapshots.ts'
