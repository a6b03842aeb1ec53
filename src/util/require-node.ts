// The first thing every door loads, so that an older Node gets this sentence and not the name of what it lacks.
// Nothing here may need a newer Node itself.
const OLDEST = '22.18'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [oldestMajor, oldestMinor] = OLDEST.split('.').map(Number) as [number, number]
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  const message = `codex-drawbridge needs Node ${OLDEST} or newer; this is Node ${process.versions.node}. Install a newer one`
  throw Object.assign(new Error(message), { code: 'node-too-old', retryable: false })
}
