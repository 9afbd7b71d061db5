import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { canInstall, hasApt, installLine, installPackages, isKnownPackage } from './apt.mjs'
import { ensureBrowser } from './browser.mjs'
import { SetupError } from './setup-error.mjs'

/** What the tests use beside the browser: the Debian package, and a path that shows it is there. */
const tools = [
  { package: 'chromium-headless-shell', isPresent: () => existsSync('/usr/lib/chromium/chromium-headless-shell') },
  { package: 'chromium', isPresent: () => existsSync('/usr/lib/chromium/chromium') },
  { package: 'chromium-sandbox', isPresent: () => existsSync('/usr/lib/chromium/chrome-sandbox') },
  { package: 'fonts-liberation', isPresent: () => existsSync('/usr/share/fonts/truetype/liberation') },
  { package: 'postgresql', isPresent: () => hasPostgres() },
  { package: 'bubblewrap', isPresent: () => existsSync('/usr/bin/bwrap') },
  { package: 'openssl', isPresent: () => existsSync('/usr/bin/openssl') },
  { package: 'searx', isPresent: () => existsSync('/usr/bin/searx-run') },
  { package: 'procps', isPresent: () => existsSync('/usr/bin/ps') || existsSync('/bin/ps') },
]

/** Installs what the tests and benchmarks need beside a browser: a full Chromium, PostgreSQL and small tools. */
export async function ensureTestTools(context) {
  const missing = tools.filter((tool) => !tool.isPresent()).map((tool) => tool.package)
  if (missing.length === 0) return
  if (!hasApt()) return ensureBrowser(context)
  if (!canInstall()) {
    throw new SetupError(`The tests need some packages. Install them, then run again:\n\n  ${installLine(missing)}\n`)
  }
  const known = []
  for (const name of missing) if (await isKnownPackage(name)) known.push(name)
  if (known.length > 0) await withoutCluster(() => installPackages(known))
  await ensureBrowser(context)
}

function hasPostgres() {
  const folder = '/usr/lib/postgresql'
  return existsSync(folder) && readdirSync(folder).some((version) => existsSync(`${folder}/${version}/bin/initdb`))
}

/** The tests start a PostgreSQL of their own: the package must not set up and start one on this machine as well. */
async function withoutCluster(install) {
  const folder = '/etc/postgresql-common/createcluster.d'
  const file = `${folder}/bowline-tests.conf`
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, 'create_main_cluster = false\n')
  try {
    await install()
  } finally {
    rmSync(file, { force: true })
  }
}
