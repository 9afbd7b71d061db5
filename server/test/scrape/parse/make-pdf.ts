import { constants, deflateRawSync } from 'node:zlib'

/** A line on a page: its size in points and its text. */
export interface PdfLine {
  readonly size: number
  readonly text: string
}

/**
 * Creates a small PDF with one array of lines per page. With `encrypted`, it requires an unknown
 * password.
 */
export function makePdf(
  pages: readonly (readonly PdfLine[])[],
  options: { readonly encrypted?: boolean } = {},
): Buffer {
  const objects: string[] = []
  const add = (body: string): number => objects.push(body)
  const catalog = add('<< /Type /Catalog /Pages 2 0 R >>')
  add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const kids = pages.map((lines) => {
    let y = 760
    const drawn = lines.map(({ size, text }) => `BT /F1 ${size} Tf 72 ${(y -= size * 2)} Td (${text}) Tj ET`).join('\n')
    const content = add(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`)
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`
  const lock = '00'.repeat(32)
  const encrypt =
    options.encrypted === true ? add(`<< /Filter /Standard /V 1 /R 2 /O <${lock}> /U <${lock}> /P -4 >>`) : 0
  let text = '%PDF-1.4\n'
  const offsets = objects.map((body, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const table = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const offset of offsets) text += `${String(offset).padStart(10, '0')} 00000 n \n`
  const locked = encrypt > 0 ? ` /Encrypt ${encrypt} 0 R /ID [<00> <00>]` : ''
  text += `trailer\n<< /Size ${objects.length + 1} /Root ${catalog} 0 R${locked} >>\nstartxref\n${table}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

/** Creates a PDF of one page that decompresses to this many megabytes of white space. */
export function makePdfBomb(megabytes: number): Buffer {
  const whole = makePdf([[{ size: 12, text: 'Boom' }]]).toString('latin1')
  const block = deflateRawSync(Buffer.alloc(1e6, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const packed = Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array.from({ length: megabytes }, () => block),
    Buffer.from([3, 0]),
    checksumOfSpaces(BigInt(megabytes) * 1_000_000n),
  ])
  const stream = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`
  // Readers can repair a file with an incorrect cross-reference table.
  return Buffer.from(
    whole.replace(/<< \/Length \d+ >>\nstream\n[^]*?\nendstream/, () => stream),
    'latin1',
  )
}

/** Adler-32 of this many spaces. */
function checksumOfSpaces(count: bigint): Buffer {
  const modulus = 65_521n
  const low = (1n + 32n * count) % modulus
  const high = (count + (32n * count * (count + 1n)) / 2n) % modulus
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number(high * 65_536n + low))
  return bytes
}
