import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Colours for what is drawn and not styled. */
export interface Colours {
  readonly ink: string
  readonly line: string
}

/** The colours at an element, again whenever they change. */
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
