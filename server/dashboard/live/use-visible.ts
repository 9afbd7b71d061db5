import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Distance from the viewport at which an element counts as visible. */
const visibleMargin = '120px'

/** Whether an element is in or near the viewport of a visible tab. */
export function useVisible(element: RefObject<HTMLElement | null>): boolean {
  const [isInWindow, setIsInWindow] = useState(false)
  const [isTabOpen, setIsTabOpen] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const onTab = (): void => setIsTabOpen(document.visibilityState === 'visible')
    const observer = new IntersectionObserver((entries) => setIsInWindow(entries.at(-1)?.isIntersecting === true), {
      rootMargin: visibleMargin,
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
