// Runs one of the project's commands under the right Node, after setting up what it needs.
// Plain JavaScript without dependencies: it works on any Node from 20 on, in a clone where nothing is installed yet.
import { readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './setup/browser.mjs'
import { ensureDashboard } from './setup/dashboard.mjs'
import { ensureDependencies } from './setup/dependencies.mjs'
import { findNode } from './setup/node.mjs'
import { assemblePackages, packPackages } from './setup/packages.mjs'
import { runChild } from './setup/run-child.mjs'
import { SetupError } from './setup/setup-error.mjs'
import { ensureTestTools } from './setup/test-tools.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = 'src/cli/main.ts'
/** The browser's side of the live view: it has a compiler configuration of its own, and files that no compiler makes. */
const viewerPage = 'server/src/live/page'
/** The page that plays recordings, likewise. */
const playerPage = 'server/src/recordings/page'
const dashboard = 'server/dashboard'
/** The pages of the live view are served from source, by a part of Node that says each time that it is new. */
const quiet = '--disable-warning=ExperimentalWarning'
function tool(name) {
  return `node_modules/.bin/${name}`
}

/** Compiles both packages to `dist/compiled`. */
const building = {
  needs: [() => rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true }), ensureDashboard],
  steps: () => [
    [tool('tsc'), '-p', 'tsconfig.build.json'],
    [tool('tsc'), '-p', viewerPage, '--noEmit', 'false'],
    [tool('tsc'), '-p', playerPage, '--noEmit', 'false'],
  ],
}

/** What each command needs beside the dependencies, and the programs it runs, one after another. */
const commands = {
  demo: { needs: [ensureBrowser], steps: (args) => [[quiet, cli, 'demo', ...args]] },
  start: { needs: [ensureBrowser, ensureDashboard], steps: (args) => [[quiet, cli, 'serve', ...args]] },
  example: { needs: [ensureBrowser], steps: (args) => [findExample(args)] },
  test: { needs: [ensureTestTools, ensureDashboard], steps: (args) => [[tool('vitest'), 'run', ...args]] },
  bench: { needs: [ensureTestTools], steps: (args) => [['test/bench/main.ts', ...args]] },
  docs: { needs: [], steps: () => [['scripts/reference/main.ts']] },
  check: {
    needs: [],
    steps: () => [
      [tool('oxfmt'), '--check', '.'],
      [tool('oxlint'), '--type-aware', '--deny-warnings'],
      [tool('tsc'), '-p', '.'],
      [tool('tsc'), '-p', viewerPage],
      [tool('tsc'), '-p', playerPage],
      [tool('tsc'), '-p', dashboard],
    ],
  },
  build: { ...building, after: () => assemblePackages(root) },
  package: {
    ...building,
    after: async () => {
      assemblePackages(root)
      await packPackages(root)
    },
  },
  prepack: {
    needs: [
      () => {
        throw new SetupError(
          'The sources cannot be installed. Run `npm run package`, which makes dist/*.tgz of both packages.',
        )
      },
    ],
    steps: () => [],
  },
}

/** The example whose file name starts with the first argument, with the rest of the arguments. */
function findExample([prefix = '', ...args]) {
  const names = readdirSync(new URL('../examples', import.meta.url)).filter((name) => name.endsWith('.ts'))
  const [found, ...others] = names.filter((name) => prefix !== '' && name.startsWith(prefix))
  if (found === undefined || others.length > 0) {
    throw new SetupError(`Say which example by its number: ${names.join(', ')}.`)
  }
  if (!found.endsWith('.spec.ts')) return [`examples/${found}`, ...args]
  return ['node_modules/@playwright/test/cli.js', 'test', `examples/${found}`, ...args]
}

async function run([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
  if (command === undefined) {
    throw new SetupError(`There is no command "${name ?? ''}". Commands: ${Object.keys(commands).join(', ')}.`)
  }
  await ensureDependencies(root)
  const node = findNode(root)
  for (const need of command.needs) await need({ root, node, args })
  let worst = 0
  // Later checks run even when an earlier one fails: all complaints at once are worth more than the first.
  for (const step of command.steps(args)) worst = Math.max(worst, await runChild(root, node, step))
  if (worst === 0) await command.after?.()
  return worst
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`bowline: ${error.message}`)
  process.exitCode = 1
}
