/** A key as CDP is told of it. */
export interface KeyStroke {
  readonly key: string
  readonly code: string
  readonly windowsVirtualKeyCode: number
  readonly text?: string
}

const named: ReadonlyMap<string, KeyStroke> = new Map(
  Object.entries<KeyStroke>({
    enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
    tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
    escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
    esc: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
    backspace: { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 },
    delete: { key: 'Delete', code: 'Delete', windowsVirtualKeyCode: 46 },
    space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
    home: { key: 'Home', code: 'Home', windowsVirtualKeyCode: 36 },
    end: { key: 'End', code: 'End', windowsVirtualKeyCode: 35 },
    pageup: { key: 'PageUp', code: 'PageUp', windowsVirtualKeyCode: 33 },
    pagedown: { key: 'PageDown', code: 'PageDown', windowsVirtualKeyCode: 34 },
    arrowleft: { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 },
    arrowup: { key: 'ArrowUp', code: 'ArrowUp', windowsVirtualKeyCode: 38 },
    arrowright: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
    arrowdown: { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 },
  }),
)

/** The key with this name (`Enter`, `ArrowDown`, `F5`) or character; undefined when there is none. */
export const keyStroke = (name: string): KeyStroke | undefined => {
  const known = named.get(name.toLowerCase().replaceAll(/[\s_-]/g, ''))
  if (known !== undefined) return known
  const functionKey = /^f(\d{1,2})$/i.exec(name)?.[1]
  if (functionKey !== undefined && Number(functionKey) <= 12) {
    return { key: `F${functionKey}`, code: `F${functionKey}`, windowsVirtualKeyCode: 111 + Number(functionKey) }
  }
  if (!/^.$/su.test(name)) return undefined
  const upper = name.toUpperCase()
  const code = /[A-Z]/.test(upper) ? `Key${upper}` : /\d/.test(name) ? `Digit${name}` : ''
  return { key: name, code, windowsVirtualKeyCode: upper.charCodeAt(0), text: name }
}
