import { defineConfig } from 'vitest/config'
export default defineConfig({
  test: {
    root: '/work/main',
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 60000,
    hookTimeout: 90000,
    fileParallelism: false,
  },
})
