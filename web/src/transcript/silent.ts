/** Heard, stored, in the raw view; not part of the story. */
const SILENT = new Set([
  'thread/started',
  'thread/status/changed',
  'thread/tokenUsage/updated',
  'thread/name/updated',
  'thread/settings/updated',
  'thread/closed',
  'thread/goal/cleared',
  'thread/environment/connected',
  'thread/environment/disconnected',
  'thread/queue/changed',
  'thread/prediction/updated',
  'thread/readState/changed',
  'thread/attachment/updated',
  'thread/project/updated',
  'turn/started',
  'turn/diff/updated',
  'turn/moderationMetadata',
  'serverRequest/resolved',
  'skills/changed',
  'hook/started',
  'hook/completed',
  'rawResponse/completed',
  'rawResponseItem/completed',
  'model/verification',
  'model/safetyBuffering/updated',
  'item/fileChange/patchUpdated',
  'item/fileChange/outputDelta',
  'item/commandExecution/terminalInteraction',
  'item/autoApprovalReview/started',
  'account/rateLimits/updated',
  'drawbridge/changed',
  // Codex's own item of the call is shown.
  'drawbridge/tool-call',
  // Shown above the transcript.
  ...['drawbridge/progress', 'drawbridge/attention', 'drawbridge/link'],
])

export function isSilent(method: string): boolean {
  return SILENT.has(method)
}
