// Misspelt keys and wrong values in codex's config.toml, which codex itself accepts in silence.
export {
  type ConfigCheck,
  type ConfigProblem,
  checkConfig,
  type StrictCodex,
  type StrictComplaint,
} from './check-config.ts'
export { ALL_KNOWN_KEYS } from './known-keys.ts'
