/** Finds an element of the page. Throws if there is none. */
export function find<Found extends Element>(selector: string, within: ParentNode = document): Found {
  const found = within.querySelector<Found>(selector)
  if (found === null) throw new Error(`The page has no ${selector}`)
  return found
}

/** Creates an element with a class and a text. */
export function make(tag: string, className: string, text = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

/** Formats a time as minutes and seconds, such as `1:05.3`. */
export function toClock(ms: number): string {
  // Rounds first. Otherwise 59.97 s would be shown as 60.0 s.
  const tenths = Math.round(ms / 100)
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`
}

/** Formats a size, such as `1.2 kB`. */
export function toSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
