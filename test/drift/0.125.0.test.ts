import { conformance } from './conformance.ts'

conformance('0.125.0')
