import { rotateToken } from '../../api/index.ts'
import { asTyped, EXIT, type Surroundings } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import { dataDirOf, findService, type ServiceFlags } from '../service/index.ts'

/** When it returns, the old token is refused at every door, if its service runs and reaches its database. */
export async function rotate(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings
  const dataDir = dataDirOf(flags, surroundings)
  rotateToken(dataDir)
  const isInForce = await tellOtherDoors(dataDir)
  if (flags.json) printJson(surroundings, { rotated: true })
  else stderr.write(asTyped('There is a new token. Browsers need a new link: drawbridge login-link\n'))
  if (!isInForce)
    stderr.write('Its database cannot be reached: other services refuse the old token once it is back.\n')
  return EXIT.done
}

/** Before it lists logins, a service that shares its database puts its token in force there. */
async function tellOtherDoors(dataDir: string): Promise<boolean> {
  const service = await findService(dataDir)
  if (!service) return true
  return service.client.logins().then(
    () => true,
    () => false,
  )
}
