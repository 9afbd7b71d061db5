import { expect, test } from 'vitest'
import { declaredCharset } from '../../src/kit/declared-charset.ts'
import { textCharset } from '../../src/kit/text-charset.ts'

test.each([
  ['nothing', '', undefined, undefined],
  ['a header', '', 'text/html; charset=ISO-8859-1', 'windows-1252'],
  ['a quoted header', '', 'text/html;CHARSET = "Shift_JIS"; x=y', 'shift_jis'],
  ['a header in single quotes', '', "text/html; charset='utf-8'", 'utf-8'],
  ['an empty header', '', 'text/html; charset=', undefined],
  ['a header with an unknown name', '<meta charset=gbk>', 'text/html; charset=klingon', 'gbk'],
  ['a header and markup', '<meta charset=gbk>', 'text/html; charset=euc-kr', 'euc-kr'],
  ['a byte order mark and a header', '\xef\xbb\xbf<meta charset=gbk>', 'text/html; charset=euc-kr', 'utf-8'],
  ['a big-endian byte order mark', '\xfe\xff\0a', undefined, 'utf-16be'],
  ['a little-endian byte order mark', '\xff\xfea\0', undefined, 'utf-16le'],
  ['half a byte order mark', '\xef\xbb', undefined, undefined],
  ['a meta element', '<META  CharSet = "Windows-1251" >', undefined, 'windows-1251'],
  ['a meta element over several lines', '<meta\r\n\tcharset=\r\n"big5"\r\n>', undefined, 'big5'],
  ['an http-equiv', '<meta http-equiv=Content-Type content="text/html; charset=koi8-r">', undefined, 'koi8-r'],
  ['an XML declaration', '<?xml version="1.0" encoding=\'EUC-JP\'?>', undefined, 'euc-jp'],
  ['an XML declaration that is not first', ' <?xml version="1.0" encoding="EUC-JP"?>', undefined, undefined],
  ['UTF-16 in markup, which is ASCII', '<meta charset=utf-16le>', undefined, 'utf-8'],
  ['an unknown name in markup', '<meta charset="../../etc/passwd">', undefined, undefined],
  ['an empty name in markup', '<meta charset="">', undefined, undefined],
  ['a name with null bytes', '<meta charset="utf\0-8">', undefined, undefined],
  ['a comment', '<!-- <meta charset=gbk> --><meta charset=big5>', undefined, 'big5'],
  ['a comment that is never closed', '<!-- <meta charset=gbk>', undefined, undefined],
  ['markup after the first 4096 bytes', `${' '.repeat(4096)}<meta charset=gbk>`, undefined, undefined],
  ['the word in another element', '<p title="charset=gbk">', undefined, undefined],
])('the charset declared by %s', (_what, document, contentType, charset) => {
  expect(declaredCharset(Buffer.from(document, 'latin1'), contentType)).toBe(charset)
})

test.each([
  ['no bytes', Buffer.alloc(0), 'utf-8'],
  ['ASCII', Buffer.from('plain'), 'utf-8'],
  ['UTF-8', Buffer.from('ünïcode 😀'), 'utf-8'],
  ['UTF-8 that ends in the middle of a character', Buffer.from('ünïcödé é').subarray(0, -1), 'utf-8'],
  ['a single letter that is not UTF-8', Buffer.from('caf\xe9', 'latin1'), 'windows-1252'],
  ['XML in UTF-16', Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a>я</a>', 'utf16le'), 'utf-16le'],
  ['JSON in big-endian UTF-16', Buffer.from('{"a":"я"}', 'utf16le').swap16(), 'utf-16be'],
  ['random bytes', Buffer.from([0xff, 0xc0, 0x80, 0xfe]), 'windows-1252'],
])('the charset of %s without a declaration', (_what, bytes, charset) => {
  expect(textCharset(bytes, undefined)).toBe(charset)
})

test('markup made to be slow is read at once', () => {
  const startedMs = performance.now()

  for (const part of ['<meta ', '<meta charset', '<!--', '<?xml ']) {
    declaredCharset(Buffer.from(part.repeat(100_000)), `text/html; ${'charset = '.repeat(10_000)}`)
  }

  expect(performance.now() - startedMs).toBeLessThan(500)
})
