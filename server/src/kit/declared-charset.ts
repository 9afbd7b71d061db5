/** Bytes at the start of a document that are searched for an encoding declaration. */
const prescanBytes = 4096

/**
 * Returns the declared encoding of a document: byte order mark, then `Content-Type`, then `<meta>`
 * or XML declaration. `undefined` if it declares none.
 */
export function declaredCharset(start: Uint8Array, contentType: string | undefined): string | undefined {
  return fromByteOrderMark(start) ?? known(charsetOf(contentType)) ?? known(fromMarkup(start))
}

function fromByteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1]
}

/**
 * Matches comments as browsers do when they look for a declaration: `<!-->` is a complete comment,
 * and a comment may be unterminated.
 */
const comment = /<!--(?:-?>|[^]*?(?:-->|$))/g

function fromMarkup(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, prescanBytes))
    .toString('latin1')
    .replaceAll(comment, '')
  const name =
    /<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1] ??
    /^<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1]
  // A declaration that is readable as ASCII cannot be UTF-16 (HTML Standard, prescan algorithm).
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    // Not an encoding of the Encoding Standard.
    return undefined
  }
}
