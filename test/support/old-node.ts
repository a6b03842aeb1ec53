import path from 'node:path'

/** The words that run the launcher on this Node, which claims to be one that is too old for us. */
export function onOldNode(args: readonly string[]): [string, ...string[]] {
  const claim = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
  const launcher = JSON.stringify(path.resolve('bin/drawbridge'))
  const script = `${claim}; process.argv.splice(1, 0, 'drawbridge'); require(${launcher})`
  return [process.execPath, '-e', script, '--', ...args]
}
