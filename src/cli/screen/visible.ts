export { spelledOut, visible, visibleCode, visibleLine } from '../../util/visible-text.ts'
