import type { InteractMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { isMac, modifiersOf } from './modifiers.ts'

type Send = (message: InteractMessage) => void

/** Keys that are handled by the viewer's browser. */
const browserKeys: ReadonlySet<string> = new Set(['F5', 'F11', 'F12'])

/** Keys that do not move the focus to the canvas: Tab and Shift+Tab, and other modifiers. */
const toolbarKeys: ReadonlySet<string> = new Set(['Tab', 'Shift', 'Control', 'Alt', 'Meta'])

/** Sends typed, composed and pasted text while the canvas or nothing has the focus. */
export function listenToKeyboard(send: Send): void {
  const { keys } = elements
  listenToKeys(keys, send)
  listenToText(keys, send)
  keys.addEventListener('paste', (event) => {
    event.preventDefault()
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text !== '') send({ type: 'paste', text })
  })
}

/** Focuses the canvas and moves the input method's window to `position`. */
export function focusKeyboard(position?: { readonly clientX: number; readonly clientY: number }): void {
  const { keys, screen } = elements
  if (position !== undefined) {
    const box = screen.getBoundingClientRect()
    keys.style.left = `${Math.max(0, position.clientX - box.left)}px`
    keys.style.top = `${Math.max(0, position.clientY - box.top)}px`
  }
  keys.focus({ preventScroll: true })
}

function listenToKeys(keys: HTMLTextAreaElement, send: Send): void {
  const held = new Map<string, KeyboardEvent>()
  const emit = (action: 'down' | 'up', event: KeyboardEvent): void => {
    const { key, code, keyCode, location, repeat: isRepeat } = event
    const name = isMac && key === 'Meta' ? 'Control' : key
    send({ type: 'key', action, key: name, code, keyCode, location, modifiers: modifiersOf(event), isRepeat })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || isUnnamed(event) || isBrowserShortcut(event)) return
    // The viewer's browser follows with a paste event, which has the text.
    if (!isPasting(event)) event.preventDefault()
    if (event.key === 'Escape' && event.shiftKey) return elements.address.focus()
    // Before the key is sent, since cutting removes the selection.
    if (isCopying(event) && !event.repeat) send({ type: 'copy' })
    emit('down', event)
    if (hasNoKeyUp(event)) emit('up', event)
    else held.set(event.code, event)
  }
  keys.addEventListener('keydown', onKeyDown)
  // Nothing has the focus after the view has loaded. Tab moves through the toolbar.
  document.addEventListener('keydown', (event) => {
    if (event.target !== document.body || toolbarKeys.has(event.key)) return
    keys.focus({ preventScroll: true })
    onKeyDown(event)
  })
  keys.addEventListener('keyup', (event) => {
    if (held.delete(event.code)) emit('up', event)
  })
  // No `keyup` follows for keys released elsewhere, which would stay pressed in the page.
  keys.addEventListener('blur', () => {
    for (const event of held.values()) emit('up', event)
    held.clear()
  })
}

/** Input methods and virtual keyboards change the text instead of sending key events. */
function listenToText(keys: HTMLTextAreaElement, send: Send): void {
  const isComposing = (event: Event): boolean => event instanceof InputEvent && event.isComposing
  keys.addEventListener('compositionupdate', ({ data }) => {
    send({ type: 'compose', text: data, start: data.length, end: data.length })
  })
  // Virtual keyboards report Backspace only in a field that is not empty.
  const fill = (): void => {
    keys.value = ' '
    keys.setSelectionRange(1, 1)
  }
  fill()
  keys.addEventListener('compositionend', ({ data }) => {
    send(data === '' ? { type: 'compose', text: '', start: 0, end: 0 } : { type: 'text', text: data })
    fill()
  })
  keys.addEventListener('input', (event) => {
    if (isComposing(event) || !(event instanceof InputEvent)) return
    if (event.inputType === 'insertText' && event.data !== null) send({ type: 'text', text: event.data })
    if (event.inputType === 'insertLineBreak') press('Enter', 13, send)
    if (event.inputType === 'deleteContentBackward') press('Backspace', 8, send)
    fill()
  })
}

function press(key: string, keyCode: number, send: Send): void {
  for (const action of ['down', 'up'] as const) {
    send({ type: 'key', action, key, code: key, keyCode, location: 0, modifiers: 0, isRepeat: false })
  }
}

/** macOS sends no `keyup` of keys that are released while Command is pressed. */
function hasNoKeyUp(event: KeyboardEvent): boolean {
  return isMac && event.metaKey && event.key !== 'Meta'
}

function isUnnamed(event: KeyboardEvent): boolean {
  return event.key === 'Unidentified' || event.key === 'Process' || event.key === 'Dead' || event.keyCode === 229
}

function hasControlKey(event: KeyboardEvent): boolean {
  return (isMac ? event.metaKey : event.ctrlKey) && !event.altKey
}

/** Codes of keys. They are the same on keyboards with other letters, such as Cyrillic ones. */
const keyCodes = { c: 67, v: 86, x: 88 }

function isCopying(event: KeyboardEvent): boolean {
  return hasControlKey(event) && (event.keyCode === keyCodes.c || event.keyCode === keyCodes.x)
}

function isPasting(event: KeyboardEvent): boolean {
  const isInsert = event.key === 'Insert' && event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey
  return isInsert || (hasControlKey(event) && event.keyCode === keyCodes.v)
}

/** Reload and developer tools are for the viewer's browser. */
function isBrowserShortcut(event: KeyboardEvent): boolean {
  const hasControl = hasControlKey(event)
  const letter = event.key.toLowerCase()
  return browserKeys.has(event.key) || (hasControl && (letter === 'r' || (letter === 'i' && event.shiftKey)))
}
