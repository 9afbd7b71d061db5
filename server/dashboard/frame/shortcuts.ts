import { useLayoutEffect } from 'preact/hooks'
import { goTo } from './route.ts'
import { navItems } from './nav-items.ts'

/** Callbacks for shortcuts. */
export interface ShortcutEvents {
  readonly onHelp: () => void
  /** Ctrl+K or Cmd+K. */
  readonly onPalette: () => void
  /** Switches between relative and exact times. */
  readonly onTimes: () => void
}

/** Dispatched on the window to reload all shown data. */
export const reloadEvent = 'bowline-reload'

const secondKeyMs = 1500

/**
 * Handles keyboard shortcuts outside of inputs: `g` and a letter opens a page, `/` focuses its
 * search, `r` reloads it, `t` switches the style of times, `?` shows the list of shortcuts. Ctrl+K
 * opens the palette, from inputs as well.
 */
export function useShortcuts({ onHelp, onPalette, onTimes }: ShortcutEvents): void {
  // A layout effect, so that the keys work as soon as the page is painted.
  useLayoutEffect(() => {
    let navigateUntilMs = 0
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault()
        if (document.querySelector('dialog[open]') === null) onPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      const item = performance.now() < navigateUntilMs ? navItems.find(({ key }) => key === event.key) : undefined
      navigateUntilMs = event.key === 'g' ? performance.now() + secondKeyMs : 0
      if (item !== undefined) goTo([item.name])
      else if (event.key === '?') onHelp()
      else if (event.key === 't') onTimes()
      else if (event.key === 'r') dispatchEvent(new Event(reloadEvent))
      else if (!press(event.key)) return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onHelp, onPalette, onTimes])
}

/** Focuses or clicks the element with this key in `aria-keyshortcuts`. */
function press(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
  if (element === null) return false
  element.focus()
  if (element instanceof HTMLInputElement) element.select()
  else element.click()
  return true
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && /^(?:checkbox|radio|button|submit)$/.test(target.type)) return false
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
