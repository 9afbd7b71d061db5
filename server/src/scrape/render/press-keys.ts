import { modifierBit, parseKeys, type KeyStroke } from 'bowline/contract/keyboard-keys'
import { BowlineError } from 'bowline/kit/errors'
import type { Tab } from './tab.ts'

/**
 * Presses a key or a combination such as `Control+A`. Throws SCRAPE_ACTION_ERROR for an unknown
 * key.
 */
export async function pressKeys(tab: Tab, text: string): Promise<void> {
  const keys = parseKeys(text)
  if (keys === undefined) throw new BowlineError('SCRAPE_ACTION_ERROR', `${JSON.stringify(text)} has an unknown key`)
  const strokes = [...keys.modifiers, keys.key]
  let modifiers = 0
  for (const stroke of strokes) {
    modifiers |= modifierBit(stroke)
    const { text: typed } = stroke
    await dispatch(tab, typed === undefined ? 'rawKeyDown' : 'keyDown', { ...stroke, text: typed, modifiers })
  }
  for (const stroke of strokes.toReversed()) {
    modifiers &= ~modifierBit(stroke)
    await dispatch(tab, 'keyUp', { ...stroke, text: undefined, modifiers })
  }
}

async function dispatch(
  tab: Tab,
  type: 'keyDown' | 'keyUp' | 'rawKeyDown',
  stroke: KeyStroke & { readonly modifiers: number },
): Promise<void> {
  const { location, ...rest } = stroke
  const isKeypad = location === 3
  // In CDP, `location` is left or right only. The number pad is a flag.
  await tab.call('Input.dispatchKeyEvent', { type, ...rest, isKeypad, ...(isKeypad ? {} : { location }) })
}
