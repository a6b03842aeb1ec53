// `drawbridge tools`: what tasks can get of tools, and trying one.
export { addToolsCommand } from './command.ts'
