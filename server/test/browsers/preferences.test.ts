import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blockInternalPages } from '../../src/browsers/preferences.ts'

test('a profile does not keep the languages of the session that saved it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-preferences-'))
  const path = join(folder, 'Default', 'Preferences')
  await mkdir(join(folder, 'Default'))
  await writeFile(path, JSON.stringify({ intl: { accept_languages: 'de-DE,de' }, profile: { name: 'kept' } }))

  await blockInternalPages(folder)

  const preferences = JSON.parse(await readFile(path, 'utf8')) as object
  await rm(folder, { recursive: true })
  expect(preferences).toMatchObject({ profile: { name: 'kept' } })
  expect(preferences).not.toHaveProperty('intl')
})
