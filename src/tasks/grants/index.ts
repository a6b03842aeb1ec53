// What a named token may do, enforced in one place for every door.
export { boundTasks } from './bound-tasks.ts'
