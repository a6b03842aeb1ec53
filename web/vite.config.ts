import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** In development the page comes from vite and the API from a service: `DRAWBRIDGE_URL=… npx vite web`. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }
const service = process.env.DRAWBRIDGE_URL ?? 'http://127.0.0.1:4100'

export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  plugins: [react(), tailwindcss()],
  // The page allows no `data:` fonts or scripts, so nothing is put inside another file.
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The Markdown view, which comes later, when there is a message to show.
    chunkSizeWarningLimit: 600,
    // All that is needed first in one file: on a first visit each further one costs more than its bytes.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  server: { proxy: { '/v1': service, '/login': service, '/healthz': service } },
})
