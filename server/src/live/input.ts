import type { InteractMessage } from './viewer-message.ts'

/** A CDP command for the page. */
export interface PageCommand {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The messages of a viewer that are input for the page. */
export type InputMessage = Extract<InteractMessage, { type: 'mouse' | 'wheel' | 'touch' | 'key' | 'text' | 'compose' }>

const inputTypes: ReadonlySet<string> = new Set(['mouse', 'wheel', 'touch', 'key', 'text', 'compose'])

/** Whether a message is input for the page rather than a command for the browser. */
export function isInput(message: InteractMessage): message is InputMessage {
  return inputTypes.has(message.type)
}

/** The CDP command that replays a viewer's input in the page. */
export function inputCommand(message: InputMessage): PageCommand {
  switch (message.type) {
    case 'mouse':
      return mouse(message)
    case 'wheel': {
      const { x, y, deltaX, deltaY, modifiers } = message
      return { method: 'Input.dispatchMouseEvent', params: { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers } }
    }
    case 'touch':
      return {
        method: 'Input.dispatchTouchEvent',
        params: { type: touchTypes[message.action], touchPoints: message.points, modifiers: message.modifiers },
      }
    case 'key':
      return key(message)
    case 'text':
      return { method: 'Input.insertText', params: { text: message.text } }
    case 'compose': {
      const { text, start, end } = message
      return { method: 'Input.imeSetComposition', params: { text, selectionStart: start, selectionEnd: end } }
    }
  }
  return message satisfies never
}

/** Presses and releases an arrow key, Enter or Escape. */
export function pressKey(key: 'ArrowDown' | 'ArrowUp' | 'Enter' | 'Escape'): readonly PageCommand[] {
  const press = { key, code: key, keyCode: pressedKeyCodes[key], location: 0, modifiers: 0, isRepeat: false } as const
  return (['down', 'up'] as const).map((action) => inputCommand({ type: 'key', action, ...press }))
}

const pressedKeyCodes = { ArrowDown: 40, ArrowUp: 38, Enter: 13, Escape: 27 } as const
const mouseTypes = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const
const touchTypes = { start: 'touchStart', move: 'touchMove', end: 'touchEnd', cancel: 'touchCancel' } as const
const commandModifiers = 1 | 2 | 4

function mouse({ action, x, y, button, buttons, clicks, modifiers }: Extract<InputMessage, { type: 'mouse' }>) {
  return {
    method: 'Input.dispatchMouseEvent',
    params: { type: mouseTypes[action], x, y, button, buttons, clickCount: clicks, modifiers, pointerType: 'mouse' },
  }
}

function key(message: Extract<InputMessage, { type: 'key' }>): PageCommand {
  const { action, key, code, keyCode, location, modifiers, isRepeat } = message
  const shared = { key, code, windowsVirtualKeyCode: keyCode, modifiers, location, isKeypad: location === 3 }
  if (action === 'up') return { method: 'Input.dispatchKeyEvent', params: { type: 'keyUp', ...shared } }
  const text = typedText(key, modifiers)
  const typed = text === undefined ? { type: 'rawKeyDown' } : { type: 'keyDown', text, unmodifiedText: text }
  return { method: 'Input.dispatchKeyEvent', params: { ...typed, ...shared, autoRepeat: isRepeat } }
}

/** The text that a key types. Alt Gr is reported as Ctrl and Alt together, and still types text. */
function typedText(key: string, modifiers: number): string | undefined {
  if (key === 'Enter') return '\r'
  const held = modifiers & commandModifiers
  // Named keys, such as `Tab`, start with two or more Latin letters or digits.
  const isText = !/^[A-Z][A-Za-z\d]/.test(key)
  return isText && (held === 0 || held === (1 | 2)) ? key : undefined
}
