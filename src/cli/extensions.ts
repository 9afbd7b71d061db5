import { Command } from 'commander'
import type { BrowserExtension } from '../contract/extensions.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printTable } from '../terminal/print.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { toSize } from './size.ts'

/** Creates the command `bowline extensions`. */
export function createExtensionsCommand(): Command {
  const command = new Command('extensions')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  add('upload', 'upload a browser extension and print its id')
    .argument('<zip>', 'path of the zip with `manifest.json`')
    .action(uploadExtension)
  add('list', 'list browser extensions, newest first').action(listExtensions)
  add('show', 'show one browser extension').argument('<id>', 'id of the extension').action(showExtension)
  add('delete', 'delete a browser extension').argument('<id>', 'id of the extension').action(deleteExtension)
  return command
}

async function uploadExtension(path: string, flags: ConnectionFlags): Promise<void> {
  const extension = await (await createClient(flags)).extensions.upload(path)
  if (flags.json === true) return printJson(extension)
  print(extension.id)
}

async function listExtensions(flags: ConnectionFlags): Promise<void> {
  const extensions = await (await createClient(flags)).extensions.list()
  if (flags.json === true) return printJson(extensions)
  printTable(columns, extensions.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'name', shorten: 'end' },
  { name: 'version', dropOrder: 4 },
  { name: 'zip', dropOrder: 2 },
  { name: 'content', dropOrder: 1 },
  { name: 'uploaded', shorten: 'time', dropOrder: 3 },
]

function toRow({ id, name, version, size, contentBytes, createdAt }: BrowserExtension): readonly string[] {
  return [id, name, version, toSize(size), toSize(contentBytes), createdAt]
}

async function showExtension(id: string, flags: ConnectionFlags): Promise<void> {
  const extension = await (await createClient(flags)).extensions.get(id)
  if (flags.json === true) return printJson(extension)
  const { size, contentBytes, ...facts } = extension
  printFacts({ ...facts, zip: toSize(size), content: toSize(contentBytes) })
}

async function deleteExtension(id: string, flags: ConnectionFlags): Promise<void> {
  await (await createClient(flags)).extensions.delete(id)
  if (flags.json === true) printJson({ id, deleted: true })
  else print(`extension ${id}: deleted`)
}
