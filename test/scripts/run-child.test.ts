import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../lab/source-tree.ts'

/** Starts a process that runs `script` as the npm commands run theirs. */
function startRunner(script: string) {
  const module = JSON.stringify(join(repository, 'scripts/setup/run-child.mjs'))
  const source = `import { runChild } from ${module}
    process.exitCode = await runChild(${JSON.stringify(repository)}, process.execPath, ['-e', ${JSON.stringify(script)}])`
  return spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('a command exits with the code of its program', async () => {
  const runner = startRunner('process.exitCode = 7')

  expect(await once(runner, 'exit')).toEqual([7, null])
})

test('a command killed by a signal exits with the code that a shell would return', async () => {
  const runner = startRunner(`process.kill(process.pid, 'SIGKILL')`)

  expect(await once(runner, 'exit')).toEqual([137, null])
})

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s reaches the command once, even when sent twice',
  async (signal) => {
    const runner = startRunner(`
    let count = 0
    process.on('${signal}', () => { count += 1; console.log('got ' + count); setTimeout(() => process.exit(count), 400) })
    setInterval(() => {}, 1000)
    console.log('ready')`)
    await once(runner.stdout, 'data')

    runner.kill(signal)
    runner.kill(signal)

    expect(await once(runner, 'exit')).toEqual([1, null])
  },
)

test('programs that a command starts as `node` run the Node of the project', async () => {
  const runner = startRunner(`console.log(require('node:child_process').execSync('node --version').toString())`)
  const [output] = (await once(runner.stdout, 'data')) as [Buffer]

  expect(output.toString()).toMatch(/^v24\./)
})
