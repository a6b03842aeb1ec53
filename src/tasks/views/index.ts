// What people see: lists, pages, figures. Reads only.
export { TaskViews } from './task-views.ts'
export { waitForTask } from './wait-for-task.ts'
