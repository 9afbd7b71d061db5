/** A key in the terms of the DevTools protocol. */
export interface KeyStroke {
  readonly key: string
  readonly code: string
  readonly windowsVirtualKeyCode: number
  /** Text that the key types; undefined for none. */
  readonly text?: string | undefined
  /** Location of keys that exist more than once: 1 left, 2 right, 3 number pad. */
  readonly location?: number | undefined
}

/** A key and its modifiers. */
export interface KeyCombination {
  readonly modifiers: readonly KeyStroke[]
  readonly key: KeyStroke
}

/**
 * Parses a key or a combination in Playwright's syntax: `Enter`, `a`, `Control+Shift+ArrowLeft`,
 * `Shift++`. Returns undefined for unknown keys.
 */
export function parseKeys(text: string): KeyCombination | undefined {
  // A trailing `+` is the plus key.
  const names = text === '+' ? ['+'] : text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+')
  const keys = names.map((name) => keyOf(name))
  const modifiers = keys.slice(0, -1)
  const key = keys.at(-1)
  if (key === undefined || !modifiers.every((each) => each !== undefined && modifierBit(each) > 0)) return undefined
  return { modifiers: modifiers.filter((each) => each !== undefined), key: shifted(key, modifiers) }
}

/** Returns the modifier bit of the DevTools protocol, or 0 if the key is not a modifier. */
export function modifierBit({ key }: KeyStroke): number {
  return modifierBits.get(key) ?? 0
}

const modifierBits: ReadonlyMap<string, number> = new Map([
  ['Alt', 1],
  ['Control', 2],
  ['Meta', 4],
  ['Shift', 8],
])

/** Applies modifiers to a key: Shift changes its text, and other modifiers remove it. */
function shifted(key: KeyStroke, modifiers: readonly (KeyStroke | undefined)[]): KeyStroke {
  const held = new Set(modifiers.map((each) => each?.key))
  const typed = held.has('Shift') && key.text === key.key && key.location === undefined ? upperOf(key, key.key) : key
  return [...held].some((name) => name !== 'Shift') ? { ...typed, text: undefined } : typed
}

function upperOf(key: KeyStroke, text: string): KeyStroke {
  const upper = shiftedSigns.get(text) ?? text.toUpperCase()
  // Some letters, such as ß, have no uppercase form of one character.
  return Array.from(upper).length === 1 ? { ...key, key: upper, text: upper } : key
}

function keyOf(name: string): KeyStroke | undefined {
  const plain = name.toLowerCase().replaceAll(/[\s_-]/g, '')
  const known = named.get(aliases.get(name) ?? aliases.get(plain) ?? plain)
  if (known !== undefined) return known
  const functionKey = /^f(\d{1,2})$/.exec(plain)?.[1]
  if (functionKey !== undefined && Number(functionKey) >= 1 && Number(functionKey) <= 24) {
    return { key: `F${functionKey}`, code: `F${functionKey}`, windowsVirtualKeyCode: 111 + Number(functionKey) }
  }
  const [, letter, digit, pad] = /^(?:key([a-z])|digit(\d)|numpad(\d))$/.exec(plain) ?? []
  if (pad !== undefined)
    return { key: pad, code: `Numpad${pad}`, windowsVirtualKeyCode: 96 + Number(pad), text: pad, location: 3 }
  return characterOf(letter ?? digit ?? name)
}

function characterOf(character: string): KeyStroke | undefined {
  if (!/^.$/su.test(character)) return undefined
  const base = [...shiftedSigns].find(([, sign]) => sign === character)?.[0] ?? character
  const upper = base.toUpperCase()
  const [code, keyCode] = /^[A-Z]$/.test(upper)
    ? [`Key${upper}`, upper.charCodeAt(0)]
    : /^\d$/.test(base)
      ? [`Digit${base}`, base.charCodeAt(0)]
      : (signs.get(base) ?? ['', 0])
  return { key: character, code, windowsVirtualKeyCode: keyCode, text: character }
}

/** Characters typed with Shift on the US keyboard layout. */
const shiftedSigns: ReadonlyMap<string, string> = new Map(
  Array.from("`1234567890-=[]\\;',./", (sign, index) => [sign, '~!@#$%^&*()_+{}|:"<>?'[index] ?? '']),
)

const signs: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['`', ['Backquote', 192]],
  ['-', ['Minus', 189]],
  ['=', ['Equal', 187]],
  ['[', ['BracketLeft', 219]],
  [']', ['BracketRight', 221]],
  ['\\', ['Backslash', 220]],
  [';', ['Semicolon', 186]],
  ["'", ['Quote', 222]],
  [',', ['Comma', 188]],
  ['.', ['Period', 190]],
  ['/', ['Slash', 191]],
])

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ctrl: 'control',
    controlormeta: 'control',
    cmd: 'meta',
    command: 'meta',
    option: 'alt',
    esc: 'escape',
    return: 'enter',
    del: 'delete',
    left: 'arrowleft',
    up: 'arrowup',
    right: 'arrowright',
    down: 'arrowdown',
    ' ': 'space',
    '\n': 'enter',
    '\r': 'enter',
    '\t': 'tab',
  }),
)

/** Named keys: key, code if it differs, key code, text, location. */
const keys: readonly (readonly [
  key: string,
  code: string,
  keyCode: number,
  text?: string | undefined,
  location?: number,
])[] = [
  ['Enter', 'Enter', 13, '\r'],
  ['Tab', 'Tab', 9],
  ['Escape', 'Escape', 27],
  ['Backspace', 'Backspace', 8],
  ['Delete', 'Delete', 46],
  ['Insert', 'Insert', 45],
  [' ', 'Space', 32, ' '],
  ['Home', 'Home', 36],
  ['End', 'End', 35],
  ['PageUp', 'PageUp', 33],
  ['PageDown', 'PageDown', 34],
  ['ArrowLeft', 'ArrowLeft', 37],
  ['ArrowUp', 'ArrowUp', 38],
  ['ArrowRight', 'ArrowRight', 39],
  ['ArrowDown', 'ArrowDown', 40],
  ['CapsLock', 'CapsLock', 20],
  ['NumLock', 'NumLock', 144],
  ['ScrollLock', 'ScrollLock', 145],
  ['Pause', 'Pause', 19],
  ['PrintScreen', 'PrintScreen', 44],
  ['ContextMenu', 'ContextMenu', 93],
  ['Shift', 'ShiftLeft', 16, undefined, 1],
  ['Shift', 'ShiftRight', 16, undefined, 2],
  ['Control', 'ControlLeft', 17, undefined, 1],
  ['Control', 'ControlRight', 17, undefined, 2],
  ['Alt', 'AltLeft', 18, undefined, 1],
  ['Alt', 'AltRight', 18, undefined, 2],
  ['Meta', 'MetaLeft', 91, undefined, 1],
  ['Meta', 'MetaRight', 92, undefined, 2],
  ['AltGraph', 'AltGraph', 225],
  ['Enter', 'NumpadEnter', 13, '\r', 3],
  ['+', 'NumpadAdd', 107, '+', 3],
  ['-', 'NumpadSubtract', 109, '-', 3],
  ['*', 'NumpadMultiply', 106, '*', 3],
  ['/', 'NumpadDivide', 111, '/', 3],
  ['.', 'NumpadDecimal', 110, '.', 3],
  ...[...signs].map(([sign, [code, keyCode]]) => [sign, code, keyCode, sign] as const),
]

/** Named keys by code and by key name. If several keys share a name, the left one is used. */
const named: ReadonlyMap<string, KeyStroke> = new Map(
  keys
    .toReversed()
    .flatMap(([key, code, windowsVirtualKeyCode, text, location]) =>
      [code, ...(key.length > 1 ? [key] : [])].map(
        (name) => [name.toLowerCase(), { key, code, windowsVirtualKeyCode, text, location }] as const,
      ),
    ),
)
