import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { canInstall, hasApt, installLine, installPackages, isKnownPackage } from './apt.mjs'
import { ensureBrowser } from './browser.mjs'
import { SetupError } from './setup-error.mjs'

/** Debian packages that the tests use, with a check whether they are installed. */
const tools = [
  { package: 'chromium-headless-shell', isPresent: () => existsSync('/usr/lib/chromium/chromium-headless-shell') },
  { package: 'chromium', isPresent: () => existsSync('/usr/lib/chromium/chromium') },
  { package: 'chromium-sandbox', isPresent: () => existsSync('/usr/lib/chromium/chrome-sandbox') },
  { package: 'fonts-liberation', isPresent: () => existsSync('/usr/share/fonts/truetype/liberation') },
  { package: 'postgresql', isPresent: () => hasPostgres() },
  { package: 'bubblewrap', isPresent: () => existsSync('/usr/bin/bwrap') },
  { package: 'xvfb', isPresent: () => existsSync('/usr/bin/Xvfb') },
  { package: 'tesseract-ocr', isPresent: () => existsSync('/usr/share/tesseract-ocr') },
  { package: 'nginx-light', isPresent: () => existsSync('/usr/sbin/nginx') },
  { package: 'caddy', isPresent: () => existsSync('/usr/bin/caddy') },
  { package: 'prometheus', isPresent: () => existsSync('/usr/bin/promtool') },
  { package: 'openssl', isPresent: () => existsSync('/usr/bin/openssl') },
  { package: 'searx', isPresent: () => existsSync('/usr/bin/searx-run') },
  { package: 'procps', isPresent: () => existsSync('/usr/bin/ps') || existsSync('/bin/ps') },
]

/**
 * Folder of the public clients that tests run unmodified. Their dependencies contradict those of
 * the project.
 */
export const clientsFolder = 'server/test/clients'

/** Installs the tools of tests and benchmarks: full Chromium, PostgreSQL and command-line tools. */
export async function ensureTestTools(context) {
  const missing = tools.filter((tool) => !tool.isPresent()).map((tool) => tool.package)
  if (missing.length === 0) return
  if (!hasApt()) return ensureBrowser(context)
  if (!canInstall()) {
    throw new SetupError(
      `The tests require these packages. Install them and run the command again:\n\n  ${installLine(missing)}\n`,
    )
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

/**
 * Prevents the PostgreSQL package from creating a cluster on this machine. The tests start their
 * own.
 */
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
