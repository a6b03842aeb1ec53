// How the process begins and ends: what a command may touch of it, how it is called, what its exit codes mean.
export { actorName } from './actor-name.ts'
export { errorText } from './error-text.ts'
export { EXIT, EXIT_CODES_HELP } from './exit-code.ts'
export { loginAdvice } from './login-advice.ts'
export { Interruption, processSurroundings, type Surroundings } from './surroundings.ts'
export { asTyped, callItBy, quoted, typedName } from './typed-name.ts'
export { isUnsuitable } from './unsuitable.ts'
export { UsageError } from './usage-error.ts'
