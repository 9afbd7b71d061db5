import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** So near the edge of the window, something counts as seen already. */
const margin = '120px'

/** Whether an element can be seen: it is in the window, and the tab is open. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isInWindow, setIsInWindow] = useState(false)
  const [isTabOpen, setIsTabOpen] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const onTab = (): void => setIsTabOpen(document.visibilityState === 'visible')
    const observer = new IntersectionObserver((entries) => setIsInWindow(entries.at(-1)?.isIntersecting === true), {
      rootMargin: margin,
    })
    if (element.current !== null) observer.observe(element.current)
    document.addEventListener('visibilitychange', onTab)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', onTab)
    }
  }, [element])
  return isInWindow && isTabOpen
}
