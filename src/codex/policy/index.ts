// What a thread may do: the policy that is asked for, and the permissions it becomes in each codex version.
export {
  type AllowedPath,
  BadAccessError,
  hasOwnAccess,
  type NetworkAccess,
  problemWithAccess,
} from './access.ts'
export { isOwnProfile, refuseUnkeptAccess } from './own-profiles.ts'
export {
  type ApprovalPolicy,
  type PolicyIncident,
  pickPolicy,
  policyDifferences,
  policyParams,
  type ThreadPolicy,
  withoutPolicy,
} from './policy.ts'
export {
  type Escalation,
  type GitFolders,
  PROFILE_SUFFIXES,
  type Protection,
  problemWithFolder,
  type RightsContext,
  refuseWithoutTrust,
  UnsafeFolderError,
  UntrustedFolderError,
} from './rights.ts'
export { ThreadRights } from './thread-rights.ts'
export { SHUT_PROFILE, WeakerSandboxError, weakness } from './weakness.ts'
