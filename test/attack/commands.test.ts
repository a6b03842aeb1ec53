// Commands against the presets, with their real effect: the real codex, its real sandbox, a hostile repository.
import { describe } from 'vitest'
import { escapesAreAsked } from './escapes-are-asked.ts'

describe('escapes from the sandbox', () => escapesAreAsked({ label: 'commands' }))
