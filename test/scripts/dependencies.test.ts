import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { repository } from '../lab/source-tree.ts'

const { isInstalled } = (await import(pathToFileURL(join(repository, 'scripts/setup/dependencies.mjs')).href)) as {
  readonly isInstalled: (root: string) => boolean
}

async function makeProject(wanted: object, present?: object) {
  const root = await mkdtemp(join(tmpdir(), 'bowline-project-'))
  await mkdir(join(root, 'node_modules'))
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }))
  if (present !== undefined) {
    await writeFile(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: present }))
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) }
}

const zod = { 'node_modules/zod': { version: '4.6.7' } }

test('packages of the required versions count as installed', async () => {
  await using project = await makeProject(zod, zod)

  expect(isInstalled(project.root)).toBe(true)
})

test('an optional package for another system may be missing', async () => {
  await using project = await makeProject({ ...zod, 'node_modules/mac': { version: '1.0.0', optional: true } }, zod)

  expect(isInstalled(project.root)).toBe(true)
})

test.each([
  ['no packages', undefined],
  ['a missing package', {}],
  ['a package of another version', { 'node_modules/zod': { version: '4.6.6' } }],
])('%s causes the commands to install packages', async (_name, present) => {
  await using project = await makeProject(zod, present)

  expect(isInstalled(project.root)).toBe(false)
})
