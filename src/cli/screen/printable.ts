// Text from a model or a command, made fit for a terminal.
export { onScreen, printable } from '../../util/screen-text.ts'
