import { useState } from 'preact/hooks'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'
import { ToolButton } from './tool-button.tsx'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

/** Cycles through the themes. */
export function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme)
  return (
    <ToolButton
      icon={icons[theme]}
      label={`Theme: ${theme}`}
      onClick={() => {
        chooseTheme(next[theme])
        setTheme(next[theme])
      }}
    />
  )
}
