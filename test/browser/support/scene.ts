// A team's afternoon, for screenshots: tasks that work, ask, fail and are done, on the real codex.
import {
  applyPatch,
  functionCall,
  hang,
  httpError,
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  reasoning,
  shell,
  toolOutputs,
  usage,
} from '../../../src/testing/index.ts'

export const FILES = {
  'package.json': '{ "name": "billing", "scripts": { "test": "node --test" } }\n',
  'src/invoice.js': `export function total(lines) {
  let sum = 0
  for (const line of lines) {
    sum += line.price * line.count
  }
  return sum
}

export function dueDate(issued, days) {
  return new Date(issued.getTime() + days * 86400000)
}
`,
  'README.md': '# billing\n\nInvoices and reminders.\n',
}

const FIX = `*** Begin Patch
*** Update File: src/invoice.js
@@
 export function total(lines) {
   let sum = 0
   for (const line of lines) {
-    sum += line.price * line.count
+    sum += Math.round(line.price * line.count * 100) / 100
   }
   return sum
 }
 
 export function dueDate(issued, days) {
-  return new Date(issued.getTime() + days * 86400000)
+  const due = new Date(issued)
+  due.setUTCDate(due.getUTCDate() + days)
+  return due
 }
*** Add File: src/invoice.test.js
+import assert from 'node:assert/strict'
+import { test } from 'node:test'
+import { dueDate } from './invoice.js'
+
+test('a due date survives the change of clocks', () => {
+  assert.equal(dueDate(new Date('2026-03-28T00:00:00Z'), 2).toISOString(), '2026-03-30T00:00:00.000Z')
+})
*** End Patch`

const RENAME = `*** Begin Patch
*** Update File: README.md
@@
-# billing
+# ledger
 
-Invoices and reminders.
+Invoices, reminders and what became of them.
*** Update File: package.json
@@
-{ "name": "billing", "scripts": { "test": "node --test" } }
+{ "name": "ledger", "scripts": { "test": "node --test" } }
*** End Patch`

const DONE = `The flaky test is fixed. The cause was **daylight saving**: \`dueDate\` added days as 24 hours, so an invoice issued the evening before the clocks change fell due a day early.

| before | after |
| --- | --- |
| \`issued + days × 86 400 000\` | calendar days in UTC |

- \`total\` now rounds each line to cents, as the ledger does
- a test covers the night of 28 March

\`\`\`js
due.setUTCDate(due.getUTCDate() + days)
\`\`\`

Nothing else in the folder depends on the old behaviour.`

const STEPS: Readonly<Record<string, readonly Reply[]>> = {
  'fix the flaky': [
    [
      reasoning(
        '**Looking for the cause**\n\nThe test fails only around the end of March. That smells like daylight saving.',
      ),
      functionCall('update_plan', {
        plan: [
          { step: 'Reproduce the failure', status: 'in_progress' },
          { step: 'Fix the cause', status: 'pending' },
          { step: 'Cover it with a test', status: 'pending' },
        ],
      }),
    ],
    [shell('ls && cat src/invoice.js'), usage({ input: 8200, cached: 4100, output: 240, reasoning: 120 })],
    shell('echo "not ok 1 - dueDate"; echo "  expected 2026-03-30, got 2026-03-29"; exit 1'),
    [
      message(
        'The date arithmetic adds hours where it should add days. I will fix both functions and add a test.',
      ),
      applyPatch(FIX),
      usage({ input: 12100, cached: 9000, output: 610, reasoning: 200 }),
    ],
    functionCall('update_plan', {
      plan: [
        { step: 'Reproduce the failure', status: 'completed' },
        { step: 'Fix the cause', status: 'completed' },
        { step: 'Cover it with a test', status: 'completed' },
      ],
    }),
    [message(DONE), usage({ input: 15400, cached: 12000, output: 480 })],
  ],
  'old rounding': [
    [
      message('No. `total` is called only in `src/invoice.js`, and the ledger rounds the same way.'),
      usage({ input: 16200, cached: 15000, output: 60 }),
    ],
  ],
  newsletter: [
    [
      message('**billing** turns orders into invoices and reminds people to pay them.'),
      usage({ input: 2100, output: 40 }),
    ],
  ],
  publish: [
    shell('npm publish --access public', {
      escalate: 'The package must reach the registry, which the sandbox cannot.',
    }),
    message('Published.'),
  ],
  'sum the second column': [
    shell(`awk '{print $2}' reports/*.tsv | paste -sd+ - | bc > "$HOME/it's done.txt"`, {
      escalate: 'The sum is kept in your home folder.',
    }),
    message('Summed up.'),
  ],
  'needs more': [
    functionCall('request_permissions', {
      reason: 'The build downloads its dependencies and writes to the shared cache.',
      permissions: {
        network: { enabled: true },
        file_system: { read: ['/etc/ssl'], write: ['build', '/srv/cache/npm-shared-by-every-project'] },
      },
    }),
    message('Built.'),
  ],
  rename: [applyPatch(RENAME), message('Renamed.')],
  choose: [
    functionCall('request_user_input', {
      questions: [
        {
          id: 'store',
          header: 'Store',
          question: 'Where should reminders be kept?',
          options: [
            { label: 'SQLite file', description: 'Nothing to run; one machine.' },
            { label: 'PostgreSQL', description: 'Several workers can share it.' },
          ],
        },
      ],
    }),
    message('Understood.'),
  ],
  write: [
    message('Reading the history of the last month and grouping it by what a user would notice. ', {
      chunkSize: 6,
      delayMs: 40,
    }),
    hang(),
  ],
  quota: [httpError(400, { error: { message: 'The model does not exist or you have no access to it.' } })],
}

/** By the first word of the prompt it knows; and then step by step. */
export function scene(request: ModelRequest): Reply {
  const said = lastUserText(request).toLowerCase()
  const steps = Object.entries(STEPS).find(([word]) => said.includes(word))?.[1]
  if (!steps) return [message(`Done: ${said}`), usage({ input: 900, output: 40 })]
  const isRunning = steps === STEPS.write
  if (isRunning) return [...(steps as never[])]
  return steps[Math.min(toolOutputs(request).length, steps.length - 1)]!
}
