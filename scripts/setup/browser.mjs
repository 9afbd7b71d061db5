import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { canInstall, hasApt, installLine, installPackages, isKnownPackage } from './apt.mjs'
import { runQuietly } from './run-quietly.mjs'
import { SetupError } from './setup-error.mjs'

const debianPackage = 'chromium-headless-shell'
const playwrightInstall = ['node_modules/playwright-core/cli.js', 'install']
const playwrightName = 'chromium-headless-shell'

/** Installs a browser if none is found. The server selects which installed browser it uses. */
export async function ensureBrowser({ root, node, args }) {
  if (namesBrowser(args) || hasBrowser()) return
  if (canInstall() && (await isKnownPackage(debianPackage))) return installPackages([debianPackage])
  // Ubuntu has Chromium only as a snap, which cannot be driven over a pipe, so use Playwright's build.
  if (canInstall()) return installPlaywrightBrowser(root, node)
  throw new SetupError(`No browser was found. Install one, then run the command again:\n\n  ${lineToRun()}\n`)
}

async function installPlaywrightBrowser(root, node) {
  console.error("bowline: downloading Playwright's Chromium …")
  try {
    await runQuietly(node, [...playwrightInstall, '--with-deps', playwrightName], { cwd: root })
  } catch (error) {
    throw new SetupError(
      `No browser was found, and this system has no package \`${debianPackage}\`. Install any Chromium or Chrome, or:` +
        `\n\n  ${playwrightLine()}\n\nThis command failed: ${error.message}`,
    )
  }
}

function lineToRun() {
  return hasApt() && !isUbuntu() ? installLine([debianPackage]) : playwrightLine()
}

function playwrightLine() {
  return `${process.platform === 'linux' ? 'sudo ' : ''}npx playwright-core install --with-deps ${playwrightName}`
}

function isUbuntu() {
  return existsSync('/etc/lsb-release')
}

function namesBrowser(args) {
  return (
    args.some(
      (arg, index) => arg.startsWith('--browser=/') || (args[index - 1] === '--browser' && arg.startsWith('/')),
    ) || process.env.BOWLINE_BROWSER?.startsWith('/')
  )
}

function hasBrowser() {
  return debianBinaries.some((path) => existsSync(path)) || isOnPath() || isInCache()
}

const debianBinaries = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium']

const macBinaries = ['/Applications/Google Chrome.app', '/Applications/Chromium.app']

function isOnPath() {
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

function isInFolders(folders, name) {
  return folders.some((folder) => folder !== '/snap/bin' && existsSync(join(folder, name)))
}

function isInCache() {
  const cache = process.platform === 'darwin' ? 'Library/Caches' : '.cache'
  const folders = [
    process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), cache, 'ms-playwright'),
    process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache/puppeteer'),
  ]
  return folders.some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('chrom')))
}
