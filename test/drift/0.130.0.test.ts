import { conformance } from './conformance.ts'

conformance('0.130.0')
