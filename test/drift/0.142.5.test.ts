import { conformance } from './conformance.ts'

conformance('0.142.5')
