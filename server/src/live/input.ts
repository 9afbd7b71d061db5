import type { CdpCall } from '../cdp/protocol.ts'
import type { InteractMessage } from './viewer-message.ts'

/** The messages of a viewer that are input for the page. */
export type InputMessage = Extract<InteractMessage, { type: 'mouse' | 'wheel' | 'touch' | 'key' | 'text' | 'compose' }>

const inputTypes: ReadonlySet<string> = new Set(['mouse', 'wheel', 'touch', 'key', 'text', 'compose'])

/** Whether a message is input for the page rather than a command for the browser. */
export function isInput(message: InteractMessage): message is InputMessage {
  return inputTypes.has(message.type)
}

/** Replays a viewer's input in the page. */
export async function sendInput(call: CdpCall, message: InputMessage): Promise<void> {
  switch (message.type) {
    case 'mouse':
      return sendMouse(call, message)
    case 'wheel': {
      const { x, y, deltaX, deltaY, modifiers } = message
      return call('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX, deltaY, modifiers })
    }
    case 'touch': {
      const { action, points: touchPoints, modifiers } = message
      return call('Input.dispatchTouchEvent', { type: touchTypes[action], touchPoints, modifiers })
    }
    case 'key':
      return sendKey(call, message)
    case 'text':
      return call('Input.insertText', { text: message.text })
    case 'compose': {
      const { text, start, end } = message
      return call('Input.imeSetComposition', { text, selectionStart: start, selectionEnd: end })
    }
  }
  return message satisfies never
}

/** A key that `pressKey` can press. */
export type PressedKey = keyof typeof pressedKeyCodes

/** Presses and releases a key. */
export async function pressKey(call: CdpCall, key: PressedKey): Promise<void> {
  const press = { key, code: key, keyCode: pressedKeyCodes[key], location: 0, modifiers: 0, isRepeat: false } as const
  await Promise.all((['down', 'up'] as const).map(async (action) => sendKey(call, { type: 'key', action, ...press })))
}

const pressedKeyCodes = { ArrowDown: 40, ArrowUp: 38, Enter: 13, Escape: 27 } as const
const mouseTypes = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const
const touchTypes = { start: 'touchStart', move: 'touchMove', end: 'touchEnd', cancel: 'touchCancel' } as const
const commandModifiers = 1 | 2 | 4

async function sendMouse(call: CdpCall, message: Extract<InputMessage, { type: 'mouse' }>): Promise<void> {
  const { action, x, y, button, buttons, clicks: clickCount, modifiers } = message
  const shared = { x, y, button, buttons, clickCount, modifiers, pointerType: 'mouse' } as const
  return call('Input.dispatchMouseEvent', { type: mouseTypes[action], ...shared })
}

async function sendKey(call: CdpCall, message: Extract<InputMessage, { type: 'key' }>): Promise<void> {
  const { action, key, code, keyCode, location, modifiers, isRepeat } = message
  const shared = { key, code, windowsVirtualKeyCode: keyCode, modifiers, location, isKeypad: location === 3 }
  if (action === 'up') return call('Input.dispatchKeyEvent', { type: 'keyUp', ...shared })
  const text = typedText(key, modifiers)
  const commands = pastes(message) ? [noCommand] : undefined
  return text === undefined
    ? call('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...shared, autoRepeat: isRepeat, commands })
    : call('Input.dispatchKeyEvent', { type: 'keyDown', text, unmodifiedText: text, ...shared, autoRepeat: isRepeat })
}

/**
 * Whether the browser would paste its own clipboard: Ctrl+V, also with Shift, and Shift+Insert.
 * Viewers send the text of theirs.
 */
function pastes({ keyCode, modifiers }: Extract<InputMessage, { type: 'key' }>): boolean {
  return (keyCode === 86 && (modifiers & ~8) === 2) || (keyCode === 45 && modifiers === 8)
}

/** An editing command that changes nothing without a value. It replaces the one of the key. */
const noCommand = 'DefaultParagraphSeparator'

/** The text that a key types. Alt Gr is reported as Ctrl and Alt together, and still types text. */
function typedText(key: string, modifiers: number): string | undefined {
  if (key === 'Enter') return '\r'
  const held = modifiers & commandModifiers
  // Named keys, such as `Tab`, start with two or more Latin letters or digits.
  const isText = !/^[A-Z][A-Za-z\d]/.test(key)
  return isText && (held === 0 || held === (1 | 2)) ? key : undefined
}
