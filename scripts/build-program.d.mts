export function buildProgram(): Promise<void>
