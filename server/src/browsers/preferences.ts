import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes into a user-data-dir that full Chromium opens no file and no page of its own, whoever asks: pages, extensions
 * that are part of the browser (the PDF viewer), or commands. Chromium takes its URLBlocklist policy from the
 * preferences, too, so nothing in `/etc` has to change. The headless shell knows neither the policy nor such extensions.
 */
export async function blockInternalPages(userDataDir: string): Promise<void> {
  const folder = join(userDataDir, 'Default')
  const path = join(folder, 'Preferences')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const preferences = {
    ...(await readPreferences(path)),
    policy: { url_blocklist: blockedUrls, url_allowlist: allowedUrls },
  }
  await writeFile(path, JSON.stringify(preferences), { mode: 0o600 })
}

const blockedUrls = [
  'file://*',
  'chrome://*',
  'chrome-untrusted://*',
  'chrome-extension://*',
  'devtools://*',
  'view-source:*',
]

/**
 * The frame of the PDF viewer. Nothing else of it may be a document: any web page may put its style sheet into a frame,
 * and such a frame has all rights of the extension.
 */
const allowedUrls = ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html']

/** The preferences of a restored profile. A file that Chromium could not read is left out, as Chromium does. */
async function readPreferences(path: string): Promise<object> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
