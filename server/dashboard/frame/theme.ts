import { readKept, writeKept } from '../api/kept.ts'

/** Which colours: those of the system, or one's own choice. */
export type Theme = 'system' | 'light' | 'dark'

const storageName = 'bowline.theme'

/** The theme chosen in this browser. Default `system`. */
export function storedTheme(): Theme {
  const stored = readKept('localStorage', storageName)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

/** Shows the page in a theme, now and when it is opened again. */
export function chooseTheme(theme: Theme): void {
  writeKept('localStorage', storageName, theme)
  applyTheme(theme)
}
