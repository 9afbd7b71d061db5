import { expect, test } from 'vitest'
import { freeFileName, isFileName, sanitizeFileName } from '../../src/kit/file-name.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['..\\x', '.._x'],
  ['a\u0000b\nc', 'a_b_c'],
  ['..', 'download'],
  ['', 'download'],
  ['ü'.repeat(200), 'ü'.repeat(127)],
])('the suggested name %j becomes %j', (suggested, name) => {
  expect(sanitizeFileName(suggested)).toBe(name)
  expect(isFileName(name)).toBe(true)
})

test.each([
  ['a.txt', 'a (2).txt'],
  ['a', 'a (2)'],
  ['.profile', '.profile (2)'],
  ['dir.d/a', 'dir.d/a (2)'],
  ['a.tar.gz', 'a.tar (2).gz'],
])('the third file named %s becomes %s', (name, third) => {
  const taken = new Set<string>()
  const take = (): string => {
    const free = freeFileName(name, (each) => taken.has(each))
    taken.add(free)
    return free
  }

  expect([take(), take(), take()].at(-1)).toBe(third)
})
