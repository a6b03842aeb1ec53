import path from 'node:path'

/** The built command line: as people run it, and a fraction of a second sooner than from its sources. */
export const PROGRAM = path.resolve('dist/cli/main.cjs')
