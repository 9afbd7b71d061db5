import { useEffect } from 'preact/hooks'
import { goTo } from './route.ts'
import { navItems } from './nav-items.ts'

/** What keys do that are the same on every page. */
export interface ShortcutEvents {
  readonly onHelp: () => void
}

/** Sent to the window when all that is shown is to be loaded anew. */
export const reloadEvent = 'bowline-reload'

const secondKeyMs = 1500

/**
 * Listens for keys while nothing is typed into: `g` and a letter goes to a page, `/` to its search, `r` loads
 * it anew, `?` shows the list.
 */
export function useShortcuts({ onHelp }: ShortcutEvents): void {
  useEffect(() => {
    let goesUntil = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      const place = performance.now() < goesUntil ? navItems.find(({ key }) => key === event.key) : undefined
      goesUntil = event.key === 'g' ? performance.now() + secondKeyMs : 0
      if (place !== undefined) goTo([place.name])
      else if (event.key === '?') onHelp()
      else if (event.key === 'r') dispatchEvent(new Event(reloadEvent))
      else if (!press(event.key)) return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onHelp])
}

/** Presses what the page offers for a key: the element with this `aria-keyshortcuts`. */
function press(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
  if (element === null) return false
  element.focus()
  if (element instanceof HTMLInputElement) element.select()
  else element.click()
  return true
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
