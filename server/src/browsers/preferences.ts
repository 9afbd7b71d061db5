import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes preferences to a user-data-dir that make full Chromium block `file:` URLs and its internal
 * pages, regardless of what opens them: web pages, built-in extensions such as the PDF viewer, or
 * CDP commands. Chromium also reads its URLBlocklist policy from the preferences, so `/etc` stays
 * unchanged. The headless shell has neither the policy nor such extensions.
 */
export async function blockInternalPages(userDataDir: string): Promise<void> {
  const folder = join(userDataDir, 'Default')
  const path = join(folder, 'Preferences')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Chromium stores the languages that it is started with. They are those of one session only.
  const { intl: _languages, ...kept } = await readPreferences(path)
  const preferences = {
    ...kept,
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
 * The frame of the PDF viewer. None of its other files may be opened as a document: any web page
 * can put the viewer's style sheet into a frame, and such a frame has all rights of the extension.
 */
const allowedUrls = ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html']

/** Reads the preferences of a restored profile. Like Chromium, ignores a file that is malformed. */
async function readPreferences(path: string): Promise<{ readonly intl?: unknown }> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // A new profile has no preferences, and Chromium replaces invalid ones itself.
    return {}
  }
}
