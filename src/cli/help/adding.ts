export interface Adding {
  /** Only to be listed in the help of the program: what is inside a command is not needed. */
  readonly isListed: boolean
}
