// Passwords on command lines, after options that do not say what they are: `sshpass -p value`.
import { mask } from './mask.ts'
import { isHidable } from './secret-value.ts'
import { readAt, type Span } from './span.ts'

const WITHIN = '[^\\n;|&]{0,300}?[ \\t]'
const QUOTE = `\\\\{0,3}["']?`
const VALUE = `([^\\s"'\`\\\\;|&<>()]{1,256})`

/** The option and what may stand between it and its value. */
function option(form: string): RegExp {
  return new RegExp(`${WITHIN}${form}${QUOTE}${VALUE}`, 'y')
}

const PROGRAMS: readonly (readonly [program: string, value: RegExp])[] = [
  ['sshpass', option('-p[ \\t]{0,4}')],
  [
    '(?:docker|podman|nerdctl|buildah|skopeo|oras|registry|crane auth|az|acr|oc) login',
    option('-p[ \\t=]{0,4}'),
  ],
  ['(?:mysql(?:dump|admin|import|pump|show|check)?|mariadb(?:-dump|-admin)?)(?= )', option('-p(?!ort)')],
  ['mongo(?:sh|dump|restore|export|import|stat)?(?= )', option('-p[ \\t]{1,4}')],
  ['redis-cli', option('-a[ \\t]{1,4}')],
  ['ldap(?:search|add|modify|delete|passwd|whoami|modrdn|compare)', option('-w[ \\t]{0,4}')],
  ['zip(?= )', option('-P[ \\t]{0,4}')],
  ['7z[ar]?(?= )', option('-p')],
  ['(?:sqlcmd|bcp|osql|tsql)(?= )', option('-P[ \\t]{0,4}')],
  ['(?:smbclient|rpcclient)(?= )', option('-U[ \\t]{0,4}[^\\s%]{1,64}%')],
  ['htpasswd', option('-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}(?:[ \\t]{1,4}[^\\s-][^\\s]{0,255}){1,2}[ \\t]{1,4}')],
]

export const COMMAND: RegExp = new RegExp(PROGRAMS.map(([program]) => program).join('|'), 'g')
const FORMS = PROGRAMS.map(([program, value]) => [new RegExp(`${program}`, 'y'), value] as const)

export function commandSpans(text: string, at: number, found: string): readonly Span[] {
  if (/[\w-]/.test(text.charAt(at - 1))) return []
  const form = FORMS.find(([program]) => readAt(program, text, at)?.[0] === found)?.[1]
  const match = form && readAt(form, text, at + found.length)
  const secret = match?.[1] ?? ''
  if (!match || !isHidable(secret)) return []
  const end = match.index + match[0].length
  return [{ start: end - secret.length, end, mask: mask(secret) }]
}
