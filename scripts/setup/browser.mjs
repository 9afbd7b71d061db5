import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { canInstall, hasApt, installLine, installPackages, isKnownPackage } from './apt.mjs'
import { runQuietly } from './run-quietly.mjs'
import { SetupError } from './setup-error.mjs'

const debianPackage = 'chromium-headless-shell'
const playwrightInstall = ['node_modules/playwright-core/cli.js', 'install']
const playwrightName = 'chromium-headless-shell'

/** Installs a browser when none is found. Which one is used is for the server to decide: this only asks whether any is there. */
export const ensureBrowser = async ({ root, node, args }) => {
  if (namesBrowser(args) || hasBrowser()) return
  if (canInstall() && (await isKnownPackage(debianPackage))) return installPackages([debianPackage])
  // Ubuntu has Chromium only as a snap, which cannot be driven over a pipe: Playwright's build serves there.
  if (canInstall()) return installPlaywrightBrowser(root, node)
  throw new SetupError(`No browser was found. Install one, then run the command again:\n\n  ${lineToRun()}\n`)
}

const installPlaywrightBrowser = async (root, node) => {
  console.error('bowline: downloading the Chromium that Playwright keeps for this system …')
  try {
    await runQuietly(node, [...playwrightInstall, '--with-deps', playwrightName], { cwd: root })
  } catch (error) {
    throw new SetupError(
      `No browser was found, and this system has no package \`${debianPackage}\`. Install any Chromium or Chrome, or:` +
        `\n\n  ${playwrightLine()}\n\nThat was tried: ${error.message}`,
    )
  }
}

const lineToRun = () => (hasApt() && !isUbuntu() ? installLine([debianPackage]) : playwrightLine())

const playwrightLine = () =>
  `${process.platform === 'linux' ? 'sudo ' : ''}npx playwright-core install --with-deps ${playwrightName}`

const isUbuntu = () => existsSync('/etc/lsb-release')

const namesBrowser = (args) =>
  args.some(
    (arg, index) => arg.startsWith('--browser=/') || (args[index - 1] === '--browser' && arg.startsWith('/')),
  ) || process.env.BOWLINE_BROWSER?.startsWith('/')

const hasBrowser = () => debianBinaries.some((path) => existsSync(path)) || isOnPath() || isInCache()

const debianBinaries = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium']

const macBinaries = ['/Applications/Google Chrome.app', '/Applications/Chromium.app']

const isOnPath = () => {
  const names = [
    'chromium-headless-shell',
    'chrome-headless-shell',
    'headless_shell',
    'chromium',
    'google-chrome',
    'google-chrome-stable',
    'chrome',
  ]
  const folders = (process.env.PATH ?? '').split(delimiter)
  return macBinaries.some((path) => existsSync(path)) || names.some((name) => isInFolders(folders, name))
}

const isInFolders = (folders, name) =>
  folders.some((folder) => folder !== '/snap/bin' && existsSync(join(folder, name)))

const isInCache = () => {
  const cache = process.platform === 'darwin' ? 'Library/Caches' : '.cache'
  const folders = [
    process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), cache, 'ms-playwright'),
    process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache/puppeteer'),
  ]
  return folders.some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('chrom')))
}
