import { rmSync } from 'node:fs'
import { filesUnder, run, step } from './step.mjs'

/** Library and command line in `dist`, built again when their sources have changed. Called in the folder of the project. */
export function buildProgram() {
  const sources = filesUnder('src').filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('generated'),
  )
  return step({
    name: 'Building',
    makes: 'dist',
    from: [
      'package-lock.json',
      'scripts/generate-protocol.mjs',
      'scripts/bundle.mjs',
      'tsconfig.json',
      'tsconfig.build.json',
      ...sources,
    ],
    work: async () => {
      rmSync('dist', { recursive: true, force: true })
      rmSync('node_modules/.cache/build.tsbuildinfo', { force: true })
      run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
      const { bundleCli, bundleLibrary } = await import('./bundle.mjs')
      await bundleLibrary()
      await bundleCli()
    },
  })
}
