import { readFileSync } from 'node:fs'
import { loadCommands } from '../../src/cli/run-cli.ts'
import { exitCodes } from '../../src/terminal/exit-codes.ts'

/** Generates SKILL.md: the text of `skill.md` with all commands and exit codes. */
export async function makeSkill(): Promise<string> {
  const commands = await loadCommands()
  const lists = {
    commands: commands.map((command) => {
      const names = command.commands.map((each) => `\`${each.name()}\``).join(', ')
      const [first = ''] = (command.summary() || command.description()).split(/(?<=\.) /)
      return `- \`bowline ${command.name()}\`: ${first}${names === '' ? '' : `. Commands: ${names}`}`
    }),
    exitCodes: Object.values(exitCodes).map(({ code, meaning }) => `- ${code}: ${meaning}`),
  }
  const text = readFileSync(new URL('skill.md', import.meta.url), 'utf8')
  return text.replaceAll(/\{\{(commands|exitCodes)\}\}/g, (_match, name: keyof typeof lists) => lists[name].join('\n'))
}
