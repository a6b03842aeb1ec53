export type PresetName = 'ask-all' | 'read-only' | 'workspace' | 'trusted'

/** What each preset answers without a person, in words for people. */
export const PRESET_MEANINGS: Readonly<Record<PresetName, string>> = {
  'ask-all': 'nothing: everything is asked',
  'read-only': 'commands that stay inside the sandbox; leaving it is always asked',
  workspace: 'that, and changes to files in the workspace; leaving the sandbox is always asked',
  trusted:
    'nearly everything, outside the sandbox too: code in the workspace can then read your files and logins, change ' +
    'them and use the network. Only a list of known dangers is asked',
}
