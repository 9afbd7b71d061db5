import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes preferences to a user-data-dir that make full Chromium block `file:` URLs and its internal
 * pages, regardless of what opens them: web pages, built-in extensions such as the PDF viewer, or
 * CDP commands. `print()` opens no dialog, and `Page.printToPDF` still works. Chromium also reads
 * its URLBlocklist policy from the preferences, so `/etc` stays unchanged. The headless shell has
 * neither the policy nor such extensions.
 */
export async function blockInternalPages(
  userDataDir: string,
  { extensionIds = [], withoutFiles = [] }: ExtensionPreferences = {},
): Promise<void> {
  const folder = join(userDataDir, 'Default')
  const path = join(folder, 'Preferences')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Chromium stores the languages that it is started with. They are those of one session only.
  const { intl: _languages, extensions: _extensions, ...kept } = await readPreferences(path)
  const hasExtensions = extensionIds.length > 0
  // Unpacked extensions may read all files by default.
  const settings = Object.fromEntries(withoutFiles.map((id) => [id, { newAllowFileAccess: false }]))
  const preferences = {
    ...kept,
    // Without the developer mode, an extension that restarts itself stays off.
    ...(hasExtensions ? { extensions: { settings, ui: { developer_mode: true } } } : {}),
    // The print dialog blocks its page, and CDP clients cannot close it.
    printing: { enabled: false },
    policy: {
      url_blocklist: hasExtensions ? [...blockedUrls, ...storeUrls] : blockedUrls,
      url_allowlist: [...allowedUrls, ...extensionIds.map((id) => `chrome-extension://${id}/`)],
    },
  }
  await writeFile(path, JSON.stringify(preferences), { mode: 0o600 })
}

/** Preferences for the extensions of a session. */
export interface ExtensionPreferences {
  /** Ids of the extensions, whose pages may be opened. Default: none. */
  readonly extensionIds?: readonly string[]
  /** Ids that may not access files. Default: none. */
  readonly withoutFiles?: readonly string[]
}

const blockedUrls = [
  'file://*',
  'chrome://*',
  'chrome-untrusted://*',
  'chrome-extension://*',
  'devtools://*',
  'view-source:*',
]

/** Pages from which a browser could install other extensions. */
const storeUrls = ['chromewebstore.google.com', 'chrome.google.com/webstore']

/**
 * The frame of the PDF viewer. None of its other files may be opened as a document: any web page
 * can put the viewer's style sheet into a frame, and such a frame has all rights of the extension.
 */
const allowedUrls = ['chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html']

/** Reads the preferences of a restored profile. Like Chromium, ignores a file that is malformed. */
async function readPreferences(path: string): Promise<{ readonly intl?: unknown; readonly extensions?: unknown }> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // A new profile has no preferences, and Chromium replaces invalid ones itself.
    return {}
  }
}
