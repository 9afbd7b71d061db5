import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import type { SessionFile } from '../contract/files.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printTable } from '../terminal/print.ts'

/** Creates the command `bowline sessions files`. */
export function createSessionFilesCommand(): Command {
  const command = new Command('files').description('list, download, upload and delete files of a session')
  const withFlags = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description).argument('<id>', 'id of the session'))
  withFlags('list', 'list the downloads and uploads of a session, oldest first').action(listFiles)
  withFlags('get', 'download a file')
    .argument('<name>', 'name or guid of the file')
    .argument('[path]', 'path to save it to; `-` writes to standard output (default: its name)')
    .action(getFile)
  withFlags('put', 'upload a file and print the path to use with DOM.setFileInputFiles')
    .argument('<path>', 'path of the local file')
    .option('--name <name>', 'file name that pages see (default: the name of the local file)')
    .action(putFile)
  withFlags('delete', 'delete a file').argument('<name>', 'name or guid of the file').action(deleteFile)
  return command
}

async function listFiles(id: string, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const files = await (await bowline.sessions.files(id)).list()
  if (flags.json === true) return printJson(files)
  printTable(columns, files.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'name' },
  { name: 'direction', dropOrder: 2 },
  { name: 'bytes', dropOrder: 3 },
  { name: 'created', shorten: 'time', dropOrder: 1 },
  { name: 'state', shorten: 'end', dropOrder: 4 },
]

function toRow({ name, direction, size, createdAt, complete, error }: SessionFile): readonly string[] {
  return [name, direction, String(size), createdAt, error ?? (complete ? 'complete' : 'running')]
}

async function getFile(id: string, name: string, path: string | undefined, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  const files = await bowline.sessions.files(id)
  if (path === '-') {
    await pipeline(Readable.fromWeb(await files.read(name)), process.stdout, { end: false })
    return
  }
  const target = path ?? basename(name)
  await files.download(name, target)
  if (flags.json === true) return printJson({ path: target })
  print(target)
}

async function putFile(
  id: string,
  path: string,
  { name, ...flags }: ConnectionFlags & { readonly name?: string },
): Promise<void> {
  const bowline = await createClient(flags)
  const sent = await (await bowline.sessions.files(id)).upload(path, { name })
  if (flags.json === true) return printJson({ path: sent.path, file: sent.file })
  print(sent.path)
}

async function deleteFile(id: string, name: string, flags: ConnectionFlags): Promise<void> {
  const bowline = await createClient(flags)
  await (await bowline.sessions.files(id)).delete(name)
  if (flags.json === true) printJson({ deleted: name })
}
