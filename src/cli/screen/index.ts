// What is shown: lines, tables and the live area of a terminal, times and counts as people read them.
export { count } from './count.ts'
export { inLocalTime, localMoment, localTime } from './local-time.ts'
export { type Cell, type Colour, printJson, printLines, printTable, printText, tell } from './output.ts'
export { onScreen } from './printable.ts'
export { ago, duration } from './relative-time.ts'
export { cutToColumns, screenRows } from './screen-rows.ts'
export { type Line, Terminal } from './terminal.ts'
export { spelledOut, visible, visibleCode, visibleLine } from './visible.ts'
