import { Help, type Command } from 'commander'

/** Width below which descriptions are printed under their terms instead of beside them. */
const minDescriptionWidth = 24

const indent = '      '

/**
 * Formats the help of a command and its subcommands in the same way. Lists of commands show a
 * phrase such as "list the keys of your team"; the help of a command starts with the same phrase as
 * a sentence. Descriptions also wrap on narrow terminals.
 */
export function unifyHelp(command: Command): void {
  const text = command.description() || command.summary()
  if (command.summary() === '') command.summary(text)
  command.description(toSentence(text))
  command.configureHelp({ minWidthToWrap: minDescriptionWidth, formatItem })
  for (const child of command.commands) unifyHelp(child)
}

function toSentence(text: string): string {
  const end = text === '' || /[.!?:]$/.test(text) ? '' : '.'
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`
}

/** Formats an option, an argument or a command of a list. */
function formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const width = this.helpWidth ?? 80
  const isNarrow = width - termWidth - 4 < minDescriptionWidth
  if (!isNarrow || description === '') {
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper)
  }
  const lines = helper.boxWrap(description, width - indent.length)
  return `  ${term}\n${indent}${lines.replaceAll('\n', `\n${indent}`)}`
}
