import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: then as the user that owns nothing. null: as we are. */
export async function serverAccount(): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null
  const id = async (option: string) =>
    Number((await promisify(execFile)('id', [option, 'nobody'])).stdout.trim())
  return { uid: await id('-u'), gid: await id('-g') }
}
