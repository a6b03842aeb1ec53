import { conformance } from './conformance.ts'

conformance('0.166.0')
