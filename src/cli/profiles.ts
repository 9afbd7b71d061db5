import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Command, InvalidArgumentError } from 'commander'
import type { ProfileSummary, ProfileVersion, StorageStateInput } from '../contract/profiles.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printNote, printTable } from '../terminal/print.ts'
import { toSize } from './size.ts'
import { parseStorageState } from './parse-storage-state.ts'

/** Creates the command `bowline profiles`. */
export function createProfilesCommand(): Command {
  const command = new Command('profiles')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  add('list', 'list profiles by name').action(listProfiles)
  add('show', 'show one profile').argument('<name>', 'name of the profile').action(showProfile)
  add('versions', 'list the versions of a profile, newest first')
    .argument('<name>', 'name of the profile')
    .action(listVersions)
  add('rollback', 'make an earlier version the current one')
    .argument('<name>', 'name of the profile')
    .argument('<version>', 'number of the version', toVersion)
    .action(rollBack)
  add('delete', 'delete a profile and all its versions').argument('<name>', 'name of the profile').action(deleteProfile)
  add('export', "export cookies and storage as Playwright's storageState")
    .argument('<name>', 'name of the profile')
    .argument('[file]', 'file to write (default: standard output)')
    .action(exportState)
  add('import', "import Playwright's storageState as a new version, replacing all other content")
    .argument('<name>', 'name of the profile; created if it does not exist')
    .argument('[file]', 'file to read; `-` reads standard input (default: standard input)')
    .action(importState)
  return command
}

function toVersion(value: string): number {
  const version = Number(value)
  if (Number.isSafeInteger(version) && version > 0) return version
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}

async function listProfiles(flags: ConnectionFlags): Promise<void> {
  const profiles = await (await createClient(flags)).profiles.list()
  if (flags.json === true) return printJson(profiles)
  printTable(columns, profiles.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'name' },
  { name: 'version', dropOrder: 4 },
  { name: 'kept', dropOrder: 1 },
  { name: 'content', dropOrder: 3 },
  { name: 'stored', dropOrder: 2 },
  { name: 'saved', shorten: 'time', dropOrder: 5 },
  { name: 'locked by', dropOrder: 6 },
]

function toRow(profile: ProfileSummary): readonly string[] {
  return [
    profile.name,
    profile.version === undefined ? '' : String(profile.version),
    String(profile.versions),
    toSize(profile.contentBytes),
    toSize(profile.storedBytes),
    profile.savedAt ?? '',
    writerOf(profile) ?? '',
  ]
}

function writerOf({ lockedBy, isLocked }: ProfileSummary): string | undefined {
  return lockedBy ?? (isLocked ? 'an import' : undefined)
}

async function showProfile(name: string, flags: ConnectionFlags): Promise<void> {
  const profile = await (await createClient(flags)).profiles.get(name)
  printProfile(profile, flags)
}

function printProfile(profile: ProfileSummary, flags: ConnectionFlags): void {
  if (flags.json === true) return printJson(profile)
  const { name, version, versions, contentBytes, storedBytes, savedAt, createdAt } = profile
  printFacts({
    name,
    version,
    'versions kept': versions,
    content: toSize(contentBytes),
    stored: toSize(storedBytes),
    saved: savedAt,
    created: createdAt,
    'locked by': writerOf(profile),
  })
}

async function listVersions(name: string, flags: ConnectionFlags): Promise<void> {
  const versions = await (await createClient(flags)).profiles.versions(name)
  if (flags.json === true) return printJson(versions)
  printTable(versionColumns, versions.map(toVersionRow))
}

const versionColumns: readonly TableColumn[] = [
  { name: 'version' },
  { name: 'content', dropOrder: 3 },
  { name: 'stored', dropOrder: 1 },
  { name: 'saved', shorten: 'time', dropOrder: 5 },
  { name: 'browser', shorten: 'end', dropOrder: 2 },
  { name: 'session', dropOrder: 4 },
]

function toVersionRow(version: ProfileVersion): readonly string[] {
  return [
    `${version.version}${version.isCurrent ? ' (current)' : ''}`,
    toSize(version.contentBytes),
    toSize(version.storedBytes),
    version.savedAt,
    version.browser,
    version.sessionId ?? 'imported',
  ]
}

async function rollBack(name: string, version: number, flags: ConnectionFlags): Promise<void> {
  printProfile(await (await createClient(flags)).profiles.rollback(name, version), flags)
}

async function deleteProfile(name: string, flags: ConnectionFlags): Promise<void> {
  await (await createClient(flags)).profiles.delete(name)
  if (flags.json === true) printJson({ name, deleted: true })
  else print(`profile "${name}": deleted`)
}

async function exportState(name: string, file: string | undefined, flags: ConnectionFlags): Promise<void> {
  const state = await (await createClient(flags)).profiles.exportState(name)
  if (file === undefined) return printJson(state)
  // Cookies grant access like passwords, so only the owner can read the file.
  await writeFile(file, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 })
  const { cookies, origins } = state
  if (flags.json === true) printJson({ file, cookies: cookies.length, origins: origins.length })
  else print(`profile "${name}": ${contentOf(state)} written to ${file}`)
}

async function importState(name: string, path: string | undefined, flags: ConnectionFlags): Promise<void> {
  const file = path === '-' ? undefined : path
  const given = file === undefined ? await text(process.stdin) : await readFile(file, 'utf8')
  const state = parseStorageState(given, file)
  const profile = await (await createClient(flags)).profiles.importState(name, state)
  if (flags.json === true) return printJson(profile)
  print(`profile "${name}": ${contentOf(state)} imported: version ${profile.version}`)
  if (profile.warning !== undefined) printNote(profile.warning)
}

function contentOf({ cookies = [], origins = [] }: StorageStateInput): string {
  const cookieText = cookies.length === 1 ? '1 cookie' : `${cookies.length} cookies`
  return `${cookieText}, ${origins.length === 1 ? '1 origin' : `${origins.length} origins`}`
}
