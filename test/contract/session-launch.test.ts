import { describe, expect, test } from 'vitest'
import { browserArgs, maxArgs } from '../../src/contract/session-launch.ts'

describe('args', () => {
  test.each([
    '--disable-gpu',
    '--font-render-hinting=none',
    '--autoplay-policy=no-user-gesture-required',
    '--force-color-profile=srgb',
  ])('may have %s', (arg) => {
    expect(browserArgs.parse([arg])).toEqual([arg])
  })

  const unknown = 'is not a flag that sessions may set. Allowed are --autoplay-policy, '
  test.each([
    ['--no-sandbox', unknown],
    ['--disable-features=IsolateOrigins', unknown],
    ['--blink-settings=imagesEnabled=false', unknown],
    ['--proxy-server=http://proxy.test', unknown],
    ['--remote-debugging-port=0', unknown],
    ['--load-extension=/tmp', unknown],
    ['--Disable-gpu', unknown],
    ['-disable-gpu', unknown],
    [' --disable-gpu', unknown],
    ['--disable-gpu --no-sandbox', unknown],
    ['disable-gpu', unknown],
    ['--', unknown],
    ['constructor', unknown],
    ['', unknown],
    ['file:///etc/passwd', unknown],
    ['--disable-gpu=1', '`--disable-gpu` has no value'],
    ['--disable-gpu=', '`--disable-gpu` has no value'],
    ['--font-render-hinting', '`--font-render-hinting` must be one of none, slight'],
    ['--font-render-hinting=none=none', '`--font-render-hinting` must be one of none, slight'],
    ['--autoplay-policy=x', '`--autoplay-policy` must be one of no-user-gesture-required, '],
  ])('may not have %j', (arg, message) => {
    const { error } = browserArgs.safeParse(['--disable-gpu', arg])

    expect(error?.issues.map((issue) => [issue.path, issue.message])).toEqual([[[1], expect.stringContaining(message)]])
  })

  test('are limited in number', () => {
    const args = Array.from({ length: maxArgs + 1 }, () => '--disable-gpu')

    expect(browserArgs.safeParse(args).success).toBe(false)
  })
})
