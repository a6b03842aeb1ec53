/** Node fires a timer that is longer than this at once. 24 days are as good as for ever. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
