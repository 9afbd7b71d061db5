import { join } from 'node:path'
import type { Command } from 'commander'
import type { SessionRecordings } from '../client/session-recordings.ts'
import type { Recording } from '../contract/recordings.ts'
import { makeFolder } from '../kit/make-folder.ts'
import { createClient, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printJson, printTable } from '../terminal/print.ts'

/** Lists or saves the recordings of an ended session. */
export async function showRecordings(
  id: string,
  { save, ...flags }: ConnectionFlags & { readonly save?: string },
): Promise<void> {
  const bowline = await createClient(flags)
  const recordings = bowline.sessions.recordings(id)
  const listed = await recordings.list()
  if (save !== undefined) return saveAll(recordings, listed, save, flags)
  if (flags.json === true) return printJson(listed)
  printTable(
    columns,
    listed.map(({ name, contentType, size, expiresAt }) => [name, contentType, String(size ?? ''), expiresAt]),
  )
}

const columns: readonly TableColumn[] = [
  { name: 'name' },
  { name: 'type', shorten: 'end', dropOrder: 2 },
  { name: 'bytes', dropOrder: 3 },
  { name: 'expires', shorten: 'time', dropOrder: 1 },
]

/** Adds the argument and flags of `bowline sessions recordings`. */
export function withRecordingFlags(command: Command): Command {
  return command
    .argument('<id>', 'id of the session')
    .option('--save <dir>', 'folder to save all recordings to; player.html plays them together')
}

async function saveAll(
  recordings: SessionRecordings,
  listed: readonly Recording[],
  folder: string,
  flags: ConnectionFlags,
): Promise<void> {
  await makeFolder(folder)
  const paths: string[] = []
  for (const { name } of listed) {
    const path = join(folder, name)
    await recordings.download(name, path)
    paths.push(path)
  }
  if (flags.json === true) return printJson({ paths })
  for (const path of paths) print(path)
}
