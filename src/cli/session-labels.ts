import { InvalidArgumentError, type Command } from 'commander'
import { sessionLimits } from '../contract/session-options.ts'

/** Flags of the name and the metadata of a session. */
export interface LabelFlags {
  readonly name?: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** Adds `--name` and `--metadata`, with the help of each. */
export function withLabelFlags(command: Command, help: { readonly name: string; readonly metadata: string }): Command {
  return command
    .option('--name <name>', help.name, sessionName)
    .option('--metadata <key=value>', `${help.metadata} (can be repeated)`, addMetadata)
}

/** Returns the name and the metadata of the flags, as the API takes them. */
export function labelsOf({ name, metadata }: LabelFlags): LabelFlags {
  return { ...(name === undefined ? {} : { name }), ...(metadata === undefined ? {} : { metadata }) }
}

function sessionName(text: string): string {
  const { min, max } = sessionLimits.name
  if (text.length >= min && text.length <= max) return text
  throw new InvalidArgumentError(`It must have ${min} to ${max} characters.`)
}

function addMetadata(text: string, earlier: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must have the form key=value.')
  return { ...earlier, [key]: value }
}
