import { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { stripControlChars } from '../../src/terminal/strip-control-chars.ts'

test('control characters of pages are replaced, and colours are kept', () => {
  const title = 'a\u001B]52;c;cm0gLXJm\u0007b\u001B[2Jc\rd\u009B31me\tf\r\ng'
  const line = `${styleText('green', '200', { validateStream: false })}  ${title}`

  const shown = stripControlChars(line, true)

  expect(shown).toBe('\u001B[32m200\u001B[39m  a\uFFFD]52;c;cm0gLXJm\uFFFDb\uFFFD[2Jc\uFFFDd\uFFFD31me\tf\r\ng')
  expect(stripControlChars(title, false)).toBe(title)
})
