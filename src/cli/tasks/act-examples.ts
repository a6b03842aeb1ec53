// Lines to copy for the commands that do something to a task.
import type { Example } from '../help/index.ts'

const IDS = 'ids as `drawbridge task list` shows them'

export const ACT_EXAMPLES = {
  send: [
    ['drawbridge task send 5f3a91c2 "and now the docs"', IDS],
    'git diff | drawbridge task send 5f3a91c2 --wait -',
  ],
  steer: [
    ['drawbridge task steer 5f3a91c2 "leave the tests alone"', IDS],
    'drawbridge task steer 5f3a91c2 --image screen.png "it should look like this"',
  ],
  interrupt: [
    ['drawbridge task interrupt 5f3a91c2', IDS],
    'drawbridge task interrupt 5f3a91c2 0b7d44e9',
    ['drawbridge task interrupt 5f3a91c2 --children', 'with all that it started'],
    'drawbridge task interrupt 5f3a91c2 --json | jq -r .status',
  ],
  fork: [
    ['drawbridge task fork 5f3a91c2 "try it the other way"', IDS],
    'drawbridge task fork 5f3a91c2 --title "second try" --wait "try it the other way"',
  ],
  resume: [
    ['drawbridge task resume 5f3a91c2', IDS],
    'drawbridge task resume 5f3a91c2 --wait "go on, but without the network"',
  ],
  archive: [
    ['drawbridge task archive 5f3a91c2 0b7d44e9', IDS],
    ['drawbridge task archive 5f3a91c2 && drawbridge task list --archived', 'where it is then'],
  ],
  unarchive: [['drawbridge task list --archived', 'those there are'], 'drawbridge task unarchive 5f3a91c2'],
  rename: [
    ['drawbridge task rename 5f3a91c2 "Nightly changelog"', IDS],
    'drawbridge task rename 5f3a91c2 "Nightly changelog" --json',
  ],
  rm: [
    ['drawbridge task rm 5f3a91c2 0b7d44e9', IDS],
    ['drawbridge task interrupt 5f3a91c2 && drawbridge task rm 5f3a91c2', 'one that still runs'],
  ],
} as const satisfies Readonly<Record<string, readonly Example[]>>
