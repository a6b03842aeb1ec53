// What is asked about, with everything in it that a screen would hide.
export { visible, visibleLine } from '../../util/visible-text.ts'
