import { prepareUsedHome, USED_HOME_VARIABLE } from '../support/used-home.ts'

/** Once for a run, however many projects it has. */
export default async function prepare(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[USED_HOME_VARIABLE]) return undefined
  const home = await prepareUsedHome()
  process.env[USED_HOME_VARIABLE] = home.path
  return () => home.remove()
}
