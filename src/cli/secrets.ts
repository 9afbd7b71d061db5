import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type { SecretSummary } from '../contract/secrets.ts'
import { BowlineError } from '../kit/errors.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printTable } from '../terminal/print.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { promptHidden } from './prompt-hidden.ts'

/** Creates the command `bowline secrets`. */
export function createSecretsCommand(): Command {
  const command = new Command('secrets')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  add('set', 'create or replace a secret; the value is read from standard input, or from a prompt that hides it')
    .argument('<name>', 'name of the secret, such as SHOP_PASSWORD')
    .requiredOption(
      '--origin <origins...>',
      'origins of the pages and frames it may be typed into: https://example.com, https://*.example.com',
    )
    .option('--totp', 'the value is the seed of one-time passwords: base32, or an otpauth:// URL')
    .action(setSecret)
  add('list', 'list secrets by name, without their values').action(listSecrets)
  add('show', 'show a secret without its value').argument('<name>', 'name of the secret').action(showSecret)
  add('delete', 'delete a secret').argument('<name>', 'name of the secret').action(deleteSecret)
  return command
}

interface SetSecretFlags extends ConnectionFlags {
  readonly origin: readonly string[]
  readonly totp?: boolean
}

async function setSecret(name: string, flags: SetSecretFlags): Promise<void> {
  const bowline = await createClient(flags)
  const value = await readValue(name)
  if (value === undefined) return
  const kind = flags.totp === true ? 'totp' : 'text'
  const secret = await bowline.secrets.set(name, { value, kind, origins: flags.origin })
  if (flags.json === true) return printJson(secret)
  print(`secret ${name}: set for ${secret.origins.join(', ')}`)
}

/**
 * Values are never arguments: other users of the machine can see those. Returns undefined if the
 * user has cancelled the prompt.
 */
async function readValue(name: string): Promise<string | undefined> {
  const given = process.stdin.isTTY
    ? await promptHidden(`Value of ${name}: `)
    : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (given !== '') return given
  throw new BowlineError('USAGE_INVALID', 'The value is empty', {
    hint: 'Pass it on standard input: `bowline secrets set NAME --origin URL < FILE`.',
  })
}

async function listSecrets(flags: ConnectionFlags): Promise<void> {
  const secrets = await (await createClient(flags)).secrets.list()
  if (flags.json === true) return printJson(secrets)
  printTable(columns, secrets.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'name' },
  { name: 'kind', dropOrder: 1 },
  { name: 'origins', shorten: 'end', dropOrder: 3 },
  { name: 'set', shorten: 'time', dropOrder: 2 },
]

function toRow({ name, kind, origins, updatedAt }: SecretSummary): readonly string[] {
  return [name, kind, origins.join(' '), updatedAt]
}

async function showSecret(name: string, flags: ConnectionFlags): Promise<void> {
  const secret = await (await createClient(flags)).secrets.get(name)
  if (flags.json === true) return printJson(secret)
  printFacts({ ...secret, origins: secret.origins.join(' ') })
}

async function deleteSecret(name: string, flags: ConnectionFlags): Promise<void> {
  await (await createClient(flags)).secrets.delete(name)
  if (flags.json === true) printJson({ name, deleted: true })
  else print(`secret ${name}: deleted`)
}
