import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../lab/source-tree.ts'

const run = promisify(execFile)
const oldNode = '/usr/bin/node'
const major = await run(oldNode, ['-p', 'process.versions.node.split(".")[0]']).then(
  ({ stdout }) => Number(stdout),
  () => 0,
)

test.skipIf(major < 20 || major >= 24)(
  'the commands start on an older Node.js (skipped: needs Node.js 20 to 23)',
  async () => {
    const ended = run(oldNode, [join(repository, 'scripts/run.mjs'), 'no-such-command'])

    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('bowline: ') })
    await expect(ended).rejects.not.toMatchObject({ stderr: expect.stringContaining('SyntaxError') })
  },
)
