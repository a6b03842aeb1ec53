// What every command has to tell of itself, wherever it was added.
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import type { Surroundings } from './process/surroundings.ts'
import { makeProgram } from './program.ts'

/** Nothing is run here, so nothing of it is touched. */
const program = makeProgram({} as Surroundings)

function withAllBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)]
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

/** As wide as it likes: where lines break does not matter here. */
function helpOf(command: Command): string {
  const written: string[] = []
  command.configureOutput({ writeOut: (text) => void written.push(text), getOutHelpWidth: () => 1_000 })
  command.outputHelp()
  return written.join('')
}

/** The lines below `Examples:`, without the word on what they do. */
function examplesIn(help: string): string[] {
  const [, below = ''] = help.split('\nExamples:\n')
  const [lines = ''] = below.split('\n\n')
  return lines
    .split('\n')
    .map((line) => line.trim().split(/ {3,}/)[0]!)
    .filter((line) => line !== '')
}

/** Each `drawbridge …` of a shell line, in words. */
function callsIn(line: string): string[][] {
  const words = line.replace(/[()]/g, ' ').match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  return words
    .join('\n')
    .split(/^(?:\||&&|;|--)$/m)
    .map((call) =>
      call
        .split(/^>$/m)[0]!
        .split('\n')
        .filter((word) => word !== ''),
    )
    .map((call) => call.slice(call.indexOf('drawbridge')))
    .filter(([first]) => first === 'drawbridge')
}

/** What is wrong with it; null when it would be taken. */
function problemWith([, ...words]: readonly string[]): string | null {
  let command = program
  let given = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    const inner = command.commands.find((sub) => [sub.name(), ...sub.aliases()].includes(word))
    if (inner) command = inner
    else if (word.startsWith('-') && word !== '-') {
      const option = command.options.find(({ short, long }) => word === short || word === long)
      if (!option && word !== '--help') return `there is no ${word}`
      if (option?.required || (option?.optional && /^['~/]/.test(words[at + 1] ?? ''))) at++
    } else given++
  }
  const { registeredArguments } = command
  const least = registeredArguments.filter(({ required }) => required).length
  const most = registeredArguments.some(({ variadic }) => variadic) ? given : registeredArguments.length
  return given < least || given > most ? `${nameOf(command)} does not take ${given} arguments` : null
}

const commands = withAllBelow(program).filter((command) => !command.name().startsWith('__'))

describe.each(commands.map((command) => [nameOf(command), command] as const))(
  '%s --help',
  (name, command) => {
    const help = helpOf(command)

    it('describes the command, its arguments and its options', () => {
      expect(command.description()).not.toBe('')
      if (command.parent) expect(command.summary()).not.toBe('')
      for (const argument of command.registeredArguments)
        expect([argument.name(), argument.description]).not.toContain('')
      for (const { flags, description } of command.options) expect([flags, description]).not.toContain('')
    })

    it('tells each default once, and none that is empty', () => {
      expect(help).not.toContain('default: []')
      for (const line of help.split('\n')) expect(line.split('default:').length).toBeLessThan(3)
    })

    it('has examples that would be taken', () => {
      const examples = examplesIn(help)
      expect(examples.length).toBeGreaterThanOrEqual(2)
      expect(examples.length).toBeLessThanOrEqual(4)
      expect(examples.some((line) => line.includes(name))).toBe(true)
      for (const line of examples) {
        const calls = callsIn(line)
        expect(calls).not.toEqual([])
        expect([line, ...calls.map(problemWith)]).toEqual([line, ...calls.map(() => null)])
      }
    })
  },
)

describe('the program for the words of a command line', () => {
  const namesFor = (...words: string[]) =>
    makeProgram({} as Surroundings, words).commands.map((command) => command.name())
  const all = program.commands.map((command) => command.name())

  it.each(all.filter((name) => !['help', '__complete'].includes(name)))(
    'has what %s names, and little else',
    (name) => {
      expect(namesFor(name)).toContain(name)
      expect(namesFor(name).length).toBeLessThanOrEqual(3)
      expect(namesFor('__complete', '--', name, '')).toEqual(expect.arrayContaining([name, '__complete']))
    },
  )

  it.each([
    [[]],
    [['--help']],
    [['help', 'task']],
    [['--help', 'task']],
    [['taks']],
    [['__complete', '--', 'ta']],
    [['__complete', '--', 'help', 't']],
  ])('has all commands where they may be about any: %j', (words) => {
    expect(namesFor(...words)).toEqual(all)
  })
})

describe('drawbridge --help', () => {
  it('reads the same without what is inside of commands', () => {
    const listed = makeProgram({} as Surroundings, ['--help'])
    expect(withAllBelow(listed).length).toBeLessThan(withAllBelow(program).length)
    expect(helpOf(listed)).toBe(helpOf(program))
  })

  it('has what is inside where a command is named after it', () => {
    expect(withAllBelow(makeProgram({} as Surroundings, ['--help', 'task']))).toHaveLength(
      withAllBelow(program).length,
    )
  })
})

/** What is written before it ends with a CommanderError. */
function heard(...words: string[]): string {
  const written: string[] = []
  const hear = (text: string) => void written.push(text)
  for (const command of withAllBelow(program)) command.configureOutput({ writeOut: hear, writeErr: hear })
  expect(() => program.parse(words, { from: 'user' })).toThrow(
    expect.objectContaining({ name: 'CommanderError' }),
  )
  return written.join('')
}

describe('drawbridge help', () => {
  it('shows the help of a command inside another', () => {
    expect(heard('help', 'task', 'start')).toMatch(/^Usage: drawbridge task start \[options\] \[prompt\]\n/)
    expect(heard('help', 'task', 'ls')).toMatch(/^Usage: drawbridge task list\|ls /)
    expect(heard('help')).toMatch(/^Usage: drawbridge \[options\] \[command\]\n/)
  })
})

describe('what was used wrongly', () => {
  it.each([
    [['help', 'task', 'begin'], "there is no command 'task begin'"],
    [['task', 'list', '--nope'], "unknown option '--nope'"],
    [['task', 'show'], "missing required argument 'task'"],
    [
      ['task', 'list', '--status', 'odd'],
      "option '--status <status>' argument 'odd' is invalid. Choose from queued, starting, working, waiting, idle, completed, failed, interrupted, timed-out, lost, limited.",
    ],
  ])('is told as all other mistakes are: %j', (words, says) => {
    expect(heard(...words)).toBe(`drawbridge: ${says}\nTry --help for what there is and examples.\n`)
  })
})
