import { filesUnder, run, step } from './step.mjs'

/** The console in `dist/console`, built again when its sources have changed. Called in the folder of the project. */
export function buildConsole() {
  return step({
    name: 'Building the console',
    makes: 'dist/console',
    from: [
      'package-lock.json',
      ...filesUnder('web').filter((file) => !file.endsWith('.test.ts')),
      ...filesUnder('src/api/contract'),
    ],
    work: () => {
      const args = ['build', '--config', 'web/vite.config.ts', '--logLevel', 'warn']
      // Under a test runner it is `test`, and React would be the one for development.
      const env = { ...process.env, NODE_ENV: 'production' }
      run(process.execPath, ['node_modules/vite/bin/vite.js', ...args], env)
    },
  })
}
