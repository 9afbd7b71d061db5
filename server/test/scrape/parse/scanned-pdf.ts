import { deflateSync, inflateSync } from 'node:zlib'
import { LiteParse } from '@llamaindex/liteparse'
import { makePdf, type PdfLine } from './make-pdf.ts'

/** Renders lines of text as a PNG, at 150 dpi. */
export async function makePng(lines: readonly PdfLine[]): Promise<Buffer> {
  const [page] = await new LiteParse({ ocrEnabled: false, quiet: true, dpi: 150 }).screenshot(makePdf([lines]), [1])
  return page!.imageBuffer
}

/** Creates a PDF of scanned pages, each of which is an image of its lines. */
export async function makeScannedPdf(pages: readonly (readonly PdfLine[])[]): Promise<Buffer> {
  const images = await Promise.all(pages.map(async (lines) => decodePng(await makePng(lines))))
  const objects: string[] = ['<< /Type /Catalog /Pages 2 0 R >>', '']
  const kids = images.map(({ width, height, gray }) => {
    const packed = deflateSync(gray).toString('latin1')
    const image = objects.push(
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`,
    )
    const drawn = 'q 612 0 0 792 0 0 cm /I Do Q'
    const content = objects.push(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`)
    return objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /XObject << /I ${image} 0 R >> >> >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`
  // Readers can repair a file without a cross-reference table.
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`, 'latin1')
}

/** Decodes a PNG with 8 bits for each of red, green, blue and alpha to the values of its green. */
function decodePng(png: Buffer): { readonly width: number; readonly height: number; readonly gray: Buffer } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const chunks: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const data = inflateSync(Buffer.concat(chunks))
  const stride = width * 4
  const gray = Buffer.alloc(width * height)
  let above = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1) + 1
    const row = data.subarray(start, start + stride)
    unfilter(row, above, data[start - 1]!)
    for (let x = 0; x < width; x++) gray[y * width + x] = row[x * 4 + 1]!
    above = row
  }
  return { width, height, gray }
}

function unfilter(row: Buffer, above: Buffer, filter: number): void {
  if (filter === 0) return
  for (let x = 0; x < row.length; x++) {
    const left = x < 4 ? 0 : row[x - 4]!
    const up = above[x]!
    row[x]! +=
      filter === 1
        ? left
        : filter === 2
          ? up
          : filter === 3
            ? (left + up) >> 1
            : paeth(left, up, x < 4 ? 0 : above[x - 4]!)
  }
}

/** Returns the neighbour that is closest to the plane through all three. */
function paeth(left: number, up: number, corner: number): number {
  const plane = left + up - corner
  const [toLeft, toUp, toCorner] = [Math.abs(plane - left), Math.abs(plane - up), Math.abs(plane - corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
