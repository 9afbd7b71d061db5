type StorageName = 'localStorage' | 'sessionStorage'

/** Reads a value from web storage. `undefined` if it is missing or storage is disabled. */
export function readStored(storage: StorageName, name: string): string | undefined {
  try {
    return window[storage].getItem(name) ?? undefined
  } catch {
    // The browser may block storage, such as in a private window.
    return undefined
  }
}

/**
 * Writes a value to web storage, or removes it for `undefined`. Does nothing if storage is
 * disabled.
 */
export function writeStored(storage: StorageName, name: string, text: string | undefined): void {
  try {
    if (text === undefined) window[storage].removeItem(name)
    else window[storage].setItem(name, text)
  } catch {
    // Without storage the page works until it is reloaded.
  }
}
