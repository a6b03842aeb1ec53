import type { Command } from 'commander'
import { addExamples } from './examples.ts'

/** In place of commander's own, which knows of no command inside another. */
export function addHelpCommand(program: Command): void {
  const help = program
    .helpCommand(false)
    .command('help')
    .summary('what a command does, with examples')
    .description('Shows what a command does, its options and examples. The same as its --help.')
    .argument('[command...]', 'its name, as on the command line')
    .action((names: string[]) => find(program, names).help())
  addExamples(help, ['drawbridge help', 'drawbridge help run', 'drawbridge help task start'])
}

function find(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const found = parent.commands.find((command) => [command.name(), ...command.aliases()].includes(name))
    return found ?? program.error(`error: there is no command '${names.join(' ')}'`)
  }, program)
}
