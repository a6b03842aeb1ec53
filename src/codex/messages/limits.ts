/** How many characters are kept; a note of what was left out comes on top. */
export interface MessageLimits {
  /** Output of a command: its beginning and its end. */
  readonly commandOutput: number
  /** Result of any other tool. */
  readonly toolResult: number
  readonly toolError: number
  /** JSON text of a call's arguments. Stays valid JSON: long strings in it are cut, else it becomes `{"cut": …}`. */
  readonly toolArguments: number
  /** JSON text of an item that this package does not know. */
  readonly unknownItem: number
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  commandOutput: 20_000,
  toolResult: 4_000,
  toolError: 1_000,
  toolArguments: 16_000,
  unknownItem: 1_500,
}
