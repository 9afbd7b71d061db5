import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Colours for drawing on a canvas. */
export interface Colours {
  readonly ink: string
  readonly line: string
}

/** Text and line colours of an element. Updates when the theme changes. */
export function useColours(element: RefObject<HTMLElement | null>): Colours {
  const [colours, setColours] = useState<Colours>({ ink: '#7d8c94', line: '#7d8c9433' })
  useEffect(() => {
    const read = (): void => {
      if (element.current === null) return
      const { color, borderTopColor } = getComputedStyle(element.current)
      setColours((last) =>
        last.ink === color && last.line === borderTopColor ? last : { ink: color, line: borderTopColor },
      )
    }
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', read)
    read()
    return () => {
      observer.disconnect()
      scheme.removeEventListener('change', read)
    }
  }, [element])
  return colours
}
