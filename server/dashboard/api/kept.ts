type NavItem = 'localStorage' | 'sessionStorage'

/** Reads what the browser keeps for the page. Undefined when there is nothing, or when it keeps nothing for any page. */
export function readKept(place: NavItem, name: string): string | undefined {
  try {
    return window[place].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Has the browser keep a text for the page, or forget it; one that keeps nothing for any page does neither. */
export function writeKept(place: NavItem, name: string, text: string | undefined): void {
  try {
    if (text === undefined) window[place].removeItem(name)
    else window[place].setItem(name, text)
  } catch {
    // The page works without it, until it is loaded anew.
  }
}
