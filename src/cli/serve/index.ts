// `drawbridge serve`: the process of the service. `app.ts` introduces the rooms to each other.
export { addServeCommand } from './command.ts'
export { desktopNotice } from './desktop-notice.ts'
export { noticeSettings } from './task-settings.ts'
