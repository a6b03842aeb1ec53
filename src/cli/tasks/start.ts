import { type Command, Option } from 'commander'
import { addExamples, type Example } from '../help/index.ts'
import { ACCESS_HELP, addAccessOptions, addRuleOptions, collect, collectWords } from '../options/index.ts'
import type { Surroundings } from '../process/index.ts'
import { SANDBOX_MODES } from '../run/index.ts'
import { acting, addServiceOptions } from '../service/index.ts'
import type { Flags } from './start-task.ts'
import { TASK_EXIT_CODES_HELP } from './task-exit.ts'

const EXAMPLES: readonly Example[] = [
  'drawbridge task start --wait --sandbox workspace-write --approve workspace "fix the failing test"',
  'drawbridge task start --workspace worktree --from main --also ../lib --sandbox workspace-write "rename it in both"',
  'drawbridge task start --label nightly,docs --notify local --key "nightly-$(date +%F)" "update the changelog"',
  [
    'drawbridge task start --demo --wait "fix the failing test"',
    'the real Codex, a scripted model, no account',
  ],
]

const HELP = `
${ACCESS_HELP}

The task runs in the service, which is started in the background when none runs; this command may end before it.
With --wait it stays and shows what happens: the answer on stdout, the rest on stderr. Questions are asked at the
terminal; where there is none it says how to answer them. Ctrl-C interrupts the task, a second one leaves at once; TERM
and a closed terminal leave the task to go on, and the exit code says how it is: 124 at work, 3 waiting for an answer.
With --json stdout is the task as one JSON value; with --wait too, a line for each event, {"type":"event",…}, and last
{"type":"result","task":…}.

Where several workers share a database (\`drawbridge workers\`) one with room takes the task, if it has the folder.
--on names a worker or a label: the task waits until one of those has room, and \`task show\` says for what. A task stays
on the machine that began it, because its thread and its folder are there. When that worker is lost, the task waits for
it; with --on-lost fail it ends as lost, so that you can start it elsewhere.
${TASK_EXIT_CODES_HELP.replace('3    waits for an answer', '3    done, but Codex asked for something and was declined; or it waits for an answer')}`

export function addTaskStart(task: Command, surroundings: Surroundings): void {
  const command = task
    .command('start')
    .summary('start a task')
    .description('Starts a task: Codex works on the prompt, in the service, whether anybody watches or not.')
    .argument('[prompt]', 'what Codex should do; - reads it from stdin')
    .option('--cwd <folder>', 'where Codex works (default: here)')
    .option(
      '--workspace <kind>',
      'where it works: folder, worktree[:<branch>], clone:<path or address>, scratch (default: folder, that is --cwd)',
    )
    .option('--from <ref>', 'the branch, tag or commit that a worktree or clone begins with')
    .option(
      '--also <folder[:branch]>',
      'with a worktree: a worktree of this repository too, which commands may write to as well; repeatable',
      collect,
      [],
    )
    .option('--keep', 'keep a scratch folder when the task is completed')
    .option('--let-commit', 'Codex may commit to the branch of its worktree by itself')
    .option('--share-folder', 'also where another task works that may write')
    .option(
      '--snapshot <when>',
      'take snapshots by itself: end, limited, turns:<number>, or several with commas (default: off)',
    )
    .option('--model <model>', "the model (default: Codex's own setting)")
    .option('--effort <effort>', 'how hard the model thinks: low, medium, high, …')
    .addOption(
      new Option('--sandbox <mode>', 'what commands may touch').choices(SANDBOX_MODES).default('read-only'),
    )
  addRuleOptions(addAccessOptions(command))
    .option('--label <label>', 'to find it by; repeatable, or several with commas', collectWords, [])
    .option(
      '--tool <name>',
      'give it this tool of the settings (`drawbridge tools list`); repeatable',
      collectWords,
      [],
    )
    .option(
      '--notify <target>',
      'who is told when it asks or ends; repeatable (default: as in the settings)',
      collect,
      [],
    )
    .option('--timeout <seconds>', 'interrupt each turn after this long')
    .option('--approval-timeout <seconds>', 'answer no after this long (default: questions wait)')
    .option('--output-schema <file>', 'a JSON Schema that the answer must follow')
    .option('--image <file>', 'show this image to the model; repeatable', collect, [])
    .option('--title <title>', 'what it is called in lists (default: the first line of the prompt)')
    .option('--keep-open', 'afterwards it is idle, and waits for more, rather than completed')
    .option(
      '--host <name>',
      'on this host: --cwd, and a --workspace made from it, are there (see `drawbridge host`)',
    )
    .option('--on <worker>', 'only on this worker, or on workers with this label (default: any)')
    .addOption(
      new Option(
        '--on-lost <what>',
        'when the worker that has it is lost: wait for its return, or end as lost',
      )
        .choices(['wait', 'fail'])
        .default(undefined, 'wait'),
    )
    .option('--parent <task>', 'the task that starts this one: shown below it, and interrupted with it')
    .option('--key <key>', 'the same key again gives the same task instead of a second one')
    .option('--codex <path>', "the codex program to use (default: the service's)")
    .option('--codex-home <folder>', "Codex's own folder (default: $CODEX_HOME, else the service's)")
    .option('--account <name>', 'the account to run on, or pool:<name> for the next free one of a pool')
    .addOption(
      new Option('--on-limit <what>', 'at a usage limit: park, or switch to another account of the pool')
        .choices(['park', 'switch'])
        .default(undefined, 'as the pool or the account says'),
    )
    .option('--demo', 'on the built-in demo model, in a sample of its own: no account needed')
    .option('--wait', 'stay until it has ended, and show what happens')
  addServiceOptions(command).action(
    acting(surroundings, async (prompt: string | undefined, flags: Flags) => {
      const { startTask } = await import('./start-task.ts')
      return startTask(prompt, flags, surroundings)
    }),
  )
  addExamples(command, EXAMPLES, HELP)
}
