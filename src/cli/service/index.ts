// The service from outside: how a command finds or starts it, and the commands about it.
export {
  acting,
  addDataDirOption,
  addServiceOptions,
  dataDirOf,
  type ServiceFlags,
  serviceClient,
} from './acting.ts'
export { makeDataFolder } from './data-folder.ts'
export { findService } from './find-service.ts'
export { knownSecrets, passwordIn, tokenIn } from './known-secrets.ts'
export { keepLogShort } from './log-file.ts'
export { addLoginLinkCommand } from './login-link.ts'
export { addOpenCommand } from './open.ts'
export { openBrowser } from './open-browser.ts'
export { reconnects } from './reconnects.ts'
export { IN_USE_EXIT, removeServiceRecord, wasServiceKilled, writeServiceRecord } from './service-record.ts'
export { addStatusCommand } from './status.ts'
export { addStopCommand } from './stop.ts'
export { workerIdOf } from './worker-id.ts'
export { workerPlaceOf } from './worker-place.ts'
