export { type LocalMachineOptions, localMachine } from './local-machine.ts'
export {
  BASIC_VARIABLES,
  type Command,
  type CommandEnd,
  type EntryFacts,
  type EntryKind,
  type Machine,
  type MachineFiles,
  type MachineFolders,
  type RunningCommand,
  type StreamedCommand,
} from './machine.ts'
export { MachineError, type MachineErrorCode } from './machine-error.ts'
