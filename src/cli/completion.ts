import { Argument, Command } from 'commander'
import { completionScript, completionShells, type CompletionShell } from '../terminal/completion.ts'
import { print } from '../terminal/print.ts'

/** Creates the command `bowline completion`. `loadCommands` loads all commands. */
export function createCompletionCommand(loadCommands: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('print a script that completes commands and flags')
    .addArgument(new Argument('<shell>', 'shell of the script').choices(completionShells))
    .action(async (shell: CompletionShell) => {
      print(completionScript('bowline', await loadCommands(), shell).trimEnd())
    })
}
