import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../lab/source-tree.ts'

test('a program of the repository prints its usage for --help, and for options that it does not have', async () => {
  const simulate = async (option: string) =>
    promisify(execFile)(process.execPath, ['test/simulation/main.ts', option], { cwd: repository })

  expect((await simulate('--help')).stdout).toMatch(/^npm run simulate -- .*\n$/)
  await expect(simulate('--nope')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Unknown option '--nope'.*\nnpm run simulate -- .*\n$/),
  })
})
