import { type Check, messageOf, ok, warn } from './check.ts'

/** Whether the tools of the settings can be used. Loads their modules, as the service does. */
export async function checkTools(dataFolder: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { readSettings } = await import('../../config/index.ts')
  try {
    const { tools } = readSettings(dataFolder, env)
    if (Object.keys(tools).length === 0) return []
    const { loadToolSources } = await import('../../tools/index.ts')
    const sources = await loadToolSources(tools, { env, folder: dataFolder })
    return sources.map(({ name, problem }) =>
      problem === null
        ? ok('tools', `the tool ${name} can be used`)
        : warn('tools', `the tool ${name} cannot be used: ${problem}`, 'correct it in settings.json'),
    )
  } catch (error) {
    // Settings that cannot be read are told of by every command that needs them.
    return [warn('tools', `the tools are not known: ${messageOf(error)}`, 'correct settings.json')]
  }
}
