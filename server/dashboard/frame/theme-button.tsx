import { useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

/** Cycles through the themes. */
export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  const label = `Theme: ${theme}`
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        chooseTheme(next[theme])
        setTheme(next[theme])
      }}
    >
      <Icon name={icons[theme]} />
    </button>
  )
}
