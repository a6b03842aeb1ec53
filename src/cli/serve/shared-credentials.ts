import type { SharedStore } from '../../api/index.ts'
import {
  type Db,
  doorLogin,
  doorLogins,
  doorTokenByHash,
  insertDoorCode,
  publishDoorToken,
  redeemDoorCode,
  removeDoorLogin,
} from '../../store/index.ts'

/** For `serveApi`, when several workers share a database: whoever is let in at one door is let in at all. */
export function sharedCredentials(db: Db, workerId: string): SharedStore {
  return {
    workerId,
    rows: {
      publishToken: (token) => publishDoorToken(db, token),
      tokenByHash: (token) => doorTokenByHash(db, token),
      insertCode: (code) => insertDoorCode(db, code),
      redeemCode: (hash, login) => redeemDoorCode(db, hash, login),
      login: (id) => doorLogin(db, id),
      logins: () => doorLogins(db),
      removeLogin: (id) => removeDoorLogin(db, id),
    },
  }
}
