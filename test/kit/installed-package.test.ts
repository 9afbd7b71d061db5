import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../lab/source-tree.ts'

const modulePath = pathToFileURL(join(repository, 'src/kit/installed-package.ts')).href

/** Prints whether the package is found and can be imported, before and after its installation. */
const program = `
import { mkdirSync, writeFileSync } from 'node:fs'
import { hasPackageFolder } from ${JSON.stringify(modulePath)}
const find = async (name) => hasPackageFolder(name, import.meta) && Object.keys(await import(name))
const names = ['rope', '@fleet/anchor', 'rope/knots']
const before = await Promise.all(names.map(find))
for (const name of ['rope', '@fleet/anchor']) {
  const folder = 'node_modules/' + name
  const manifest = { name, type: 'module', exports: { '.': './index.js', './knots': './index.js' } }
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + '/package.json', JSON.stringify(manifest))
  writeFileSync(folder + '/index.js', 'export const knots = 1')
}
console.log(JSON.stringify([before, await Promise.all(names.map(find))]))
`

test('a package is found as soon as it is installed, although the process looked for it before', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-installed-'))
  await mkdir(join(folder.path, 'lib'))
  await mkdir(join(folder.path, 'node_modules'))
  await writeFile(join(folder.path, 'lib/program.mjs'), program)

  const { stdout } = await promisify(execFile)(process.execPath, ['lib/program.mjs'], { cwd: folder.path })

  expect(JSON.parse(stdout)).toEqual([
    [false, false, false],
    [['knots'], ['knots'], ['knots']],
  ])
})
