/** Whether the viewer uses a Mac, whose Command key is sent as Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The pressed modifier keys as in CDP: Alt 1, Ctrl 2, Meta 4, Shift 8. */
export function modifiersOf(event: MouseEvent | KeyboardEvent | TouchEvent): number {
  const isControl = event.ctrlKey || (isMac && event.metaKey)
  const isMeta = event.metaKey && !isMac
  return (event.altKey ? 1 : 0) | (isControl ? 2 : 0) | (isMeta ? 4 : 0) | (event.shiftKey ? 8 : 0)
}
