import type { ActingMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { isMac, modifiersOf } from './modifiers.ts'

type Send = (message: ActingMessage) => void

/** Keys that the viewer's own browser keeps. */
const keptKeys: ReadonlySet<string> = new Set(['F5', 'F11', 'F12'])

/** Sends what is typed, composed and pasted while the picture has the focus. */
export function listenToKeyboard(send: Send): void {
  const { keys } = elements
  listenToKeys(keys, send)
  listenToText(keys, send)
  keys.addEventListener('paste', (event) => {
    event.preventDefault()
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text !== '') send({ type: 'text', text })
  })
}

/** Gives the picture the focus, with the input method's window near the place that was clicked. */
export function focusKeyboard(place?: { readonly clientX: number; readonly clientY: number }): void {
  const { keys, sheet } = elements
  if (place !== undefined) {
    const box = sheet.getBoundingClientRect()
    keys.style.left = `${Math.max(0, place.clientX - box.left)}px`
    keys.style.top = `${Math.max(0, place.clientY - box.top)}px`
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
  keys.addEventListener('keydown', (event) => {
    if (event.isComposing || isUnnamed(event) || isKept(event)) return
    event.preventDefault()
    if (event.key === 'Escape' && event.shiftKey) return elements.address.focus()
    held.set(event.code, event)
    // Asked for first: cutting takes the selection away.
    if (isCopying(event)) send({ type: 'copy' })
    emit('down', event)
  })
  keys.addEventListener('keyup', (event) => {
    if (held.delete(event.code)) emit('up', event)
  })
  // Keys let go of elsewhere are never told of; in the page they would stay down.
  keys.addEventListener('blur', () => {
    for (const event of held.values()) emit('up', event)
    held.clear()
  })
}

/** Input methods and the keyboards of phones change the text itself instead of naming keys. */
function listenToText(keys: HTMLTextAreaElement, send: Send): void {
  const isComposing = (event: Event): boolean => event instanceof InputEvent && event.isComposing
  keys.addEventListener('compositionupdate', ({ data }) => {
    send({ type: 'compose', text: data, start: data.length, end: data.length })
  })
  keys.addEventListener('compositionend', ({ data }) => {
    send(data === '' ? { type: 'compose', text: '', start: 0, end: 0 } : { type: 'text', text: data })
    keys.value = ''
  })
  keys.addEventListener('input', (event) => {
    if (isComposing(event) || !(event instanceof InputEvent)) return
    if (event.inputType === 'insertText' && event.data !== null) send({ type: 'text', text: event.data })
    if (event.inputType === 'insertLineBreak') press('Enter', 13, send)
    if (event.inputType === 'deleteContentBackward') press('Backspace', 8, send)
    // Something must be there, or the keyboard of a phone tells of no further Backspace.
    keys.value = ' '
    keys.setSelectionRange(1, 1)
  })
}

function press(key: string, keyCode: number, send: Send): void {
  for (const action of ['down', 'up'] as const) {
    send({ type: 'key', action, key, code: key, keyCode, location: 0, modifiers: 0, isRepeat: false })
  }
}

function isUnnamed(event: KeyboardEvent): boolean {
  return event.key === 'Unidentified' || event.key === 'Process' || event.key === 'Dead' || event.keyCode === 229
}

function hasControlKey(event: KeyboardEvent): boolean {
  return (isMac ? event.metaKey : event.ctrlKey) && !event.altKey
}

function isCopying(event: KeyboardEvent): boolean {
  return hasControlKey(event) && /^[cx]$/i.test(event.key)
}

/** Pasting must reach the page as a paste; reloading and developer tools belong to the viewer. */
function isKept(event: KeyboardEvent): boolean {
  const hasControl = hasControlKey(event)
  const letter = event.key.toLowerCase()
  return (
    keptKeys.has(event.key) || (hasControl && (letter === 'v' || letter === 'r' || (letter === 'i' && event.shiftKey)))
  )
}
