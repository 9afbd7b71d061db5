import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from './lab/source-tree.ts'
import { temporaryFolder } from './lab/stores.ts'

const run = promisify(execFile)

async function takePictures(args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ['scripts/pictures.mjs', ...args], { cwd: repository })
  return stdout.trim().split('\n')
}

test('the script that takes pictures takes all that the documentation shows, and no others', async () => {
  const pages = globSync(['README.md', 'docs/*.md', 'docs/{guide,running}/*.md'], { cwd: repository })
  const shown = pages.flatMap((page) =>
    Array.from(
      readFileSync(join(repository, page), 'utf8').matchAll(/!\[[^\]]+\]\((?:\S*\/)?([\w-]+)\.png\)/g),
      ([, name = '']) => name,
    ),
  )

  expect([...new Set(shown)].toSorted()).toEqual([...(await takePictures(['--list']))].toSorted())
})

test('it takes pictures of the dashboard and of the player', async () => {
  await using folder = await temporaryFolder()
  const names = ['monitor', 'player']
  const paths = names.map((name) => join(folder.path, `${name}.png`))

  expect(await takePictures(['--to', folder.path, ...names])).toEqual(paths)
  for (const path of paths) {
    const picture = await readFile(path)
    // 1240 CSS pixels wide, at 1.5 pixels each.
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.readUInt32BE(16)).toBe(1860)
  }
})
