// Runs a command of the project with the right Node, after installing its requirements. Plain
// JavaScript without dependencies, so that it works with Node 20 or newer in a fresh clone.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './setup/browser.mjs'
import { ensureDashboard } from './setup/dashboard.mjs'
import { ensureDependencies } from './setup/dependencies.mjs'
import { findNode } from './setup/node.mjs'
import { assemblePackages, packPackages } from './setup/packages.mjs'
import { runChild } from './setup/run-child.mjs'
import { SetupError } from './setup/setup-error.mjs'
import { clientsFolder, ensureTestTools } from './setup/test-tools.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const cli = 'src/cli/main.ts'
/** Client code of the live view, with its own compiler configuration. */
const viewerPage = 'server/src/live/web'
/** Client code of the recording player, with its own compiler configuration. */
const playerPage = 'server/src/recordings/page'
const dashboard = 'server/dashboard'
/** The server strips the types of the live view at run time, which Node reports as experimental. */
const quiet = '--disable-warning=ExperimentalWarning'
function tool(name) {
  return `node_modules/.bin/${name}`
}

/** `check` checks the types. Only writing the files takes a quarter of the time. */
function writingOf(project) {
  return [tool('tsc'), '-p', project, '--noEmit', 'false', '--noCheck', '--singleThreaded']
}

/** Checks the types of a project, and keeps the results so that the next check is faster. */
function checkTypes(project, name) {
  return [
    tool('tsc'),
    '-p',
    project,
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/types/${name}.tsbuildinfo`,
  ]
}

/** Compiles both packages to `dist/compiled`. */
const building = {
  needs: [() => rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true }), ensureDashboard],
  steps: () => ['tsconfig.build.json', viewerPage, playerPage].map(writingOf),
}

/**
 * Commands with the folders whose packages they use (default: only the root), their setup steps,
 * and the programs they run in order.
 */
const commands = {
  demo: { needs: [ensureBrowser], steps: (args) => [[quiet, cli, 'demo', ...args]] },
  start: { needs: [ensureBrowser, ensureDashboard], steps: (args) => [[quiet, cli, 'serve', ...args]] },
  example: { needs: [ensureBrowser], steps: (args) => [findExample(args)] },
  test: {
    folders: ['.', clientsFolder],
    needs: [ensureTestTools, ensureDashboard],
    steps: (args) => [[tool('vitest'), 'run', ...args]],
  },
  bench: { needs: [ensureTestTools], steps: (args) => [['test/bench/main.ts', ...args]] },
  torture: { needs: [ensureTestTools], steps: (args) => [['test/torture/main.ts', ...args]] },
  simulate: { needs: [], steps: (args) => [['test/simulation/main.ts', ...args]] },
  docs: { needs: [], steps: () => [['scripts/reference/main.ts'], [tool('vitepress'), 'build', 'docs']] },
  check: {
    needs: [],
    steps: () => [
      [tool('oxfmt'), '--check', '.'],
      [tool('oxlint'), '--type-aware', '--deny-warnings'],
      checkTypes('.', 'packages'),
      checkTypes(viewerPage, 'live-view'),
      checkTypes(playerPage, 'player'),
      checkTypes(dashboard, 'dashboard'),
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
          'The repository itself cannot be packed. Run `npm run package` to build both packages as dist/*.tgz.',
        )
      },
    ],
    steps: () => [],
  },
}

/**
 * Finds the example whose file name starts with the first argument. Passes on the other arguments.
 */
function findExample([prefix = '', ...args]) {
  const names = readdirSync(new URL('../examples', import.meta.url)).filter((name) => /\.(?:ts|sh)$/.test(name))
  const [found, ...others] = names.filter((name) => prefix !== '' && name.startsWith(prefix))
  if (found === undefined || others.length > 0) {
    throw new SetupError(`Pass the number of an example: ${names.join(', ')}.`)
  }
  if (!found.endsWith('.spec.ts')) return [`examples/${found}`, ...args]
  return ['node_modules/@playwright/test/cli.js', 'test', `examples/${found}`, ...args]
}

async function run([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
  if (command === undefined) {
    throw new SetupError(`Unknown command "${name ?? ''}". Commands: ${Object.keys(commands).join(', ')}.`)
  }
  // At the same time, as npm unpacks the packages of a folder on one core.
  await Promise.all((command.folders ?? ['.']).map((folder) => ensureDependencies(join(root, folder))))
  const node = findNode(root)
  for (const need of command.needs) await need({ root, node, args })
  let exitCode = 0
  // Runs all steps even if one fails, so that `npm run check` reports all problems at once.
  for (const step of command.steps(args)) exitCode = Math.max(exitCode, await runChild(root, node, step))
  if (exitCode === 0) await command.after?.()
  return exitCode
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`bowline: ${error.message}`)
  process.exitCode = 1
}
