import { expect, test } from 'vitest'
import { parseKeys } from '../../src/contract/keyboard-keys.ts'

test.each([
  [' ', 'Space', 32],
  ['Control+ ', 'Space', 32],
  ['\n', 'Enter', 13],
  ['\r', 'Enter', 13],
  ['\t', 'Tab', 9],
])('a key can be named by its white space: %j', (text, code, keyCode) => {
  expect(parseKeys(text)?.key).toMatchObject({ code, windowsVirtualKeyCode: keyCode })
})
