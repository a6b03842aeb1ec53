import { conformance } from './conformance.ts'

conformance('0.150.1')
