import { readStored, writeStored } from '../api/browser-storage.ts'

/** Colour theme. */
export type Theme = 'system' | 'light' | 'dark'

const storageName = 'bowline.theme'

/** The theme chosen in this browser. Default: `system`. */
export function storedTheme(): Theme {
  const stored = readStored('localStorage', storageName)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Applies a theme to the page. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

/** Applies and stores a theme. */
export function chooseTheme(theme: Theme): void {
  writeStored('localStorage', storageName, theme)
  applyTheme(theme)
}
