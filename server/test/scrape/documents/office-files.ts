import { createZip } from '../../../../test/lab/zip.ts'

const wordSpace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const links = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Zips files by their paths. */
export function zipFiles(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return createZip(Object.entries(files).map(([path, contents]) => ({ path, contents })))
}

/** Writes relationships: id, last part of the type, target. */
export function relations(...all: readonly (readonly [id: string, type: string, target: string])[]): string {
  const items = all.map(([id, type, target]) => {
    const mode = target.includes('://') ? ' TargetMode="External"' : ''
    return `<Relationship Id="${id}" Type="${links}/${type}" Target="${target}"${mode}/>`
  })
  return `<?xml version="1.0"?><Relationships>${items.join('')}</Relationships>`
}

/** Creates a document of Word with this body. */
export function docx(body: string, files: Readonly<Record<string, string | Buffer>> = {}): Buffer {
  return zipFiles({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document ${wordSpace} xmlns:r="${links}"><w:body>${body}</w:body></w:document>`,
    ...files,
  })
}

/** A paragraph of Word with one run. */
export function paragraph(text: string, properties = '', format = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${format}</w:rPr><w:t>${text}</w:t></w:r></w:p>`
}

/** Creates a workbook of Excel: the rows of each sheet as XML. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  {
    styles = '',
    strings = '',
    properties = '',
    sheetEnd = '',
    sheetRelations = '',
  }: Readonly<Partial<Record<'styles' | 'strings' | 'properties' | 'sheetEnd' | 'sheetRelations', string>>> = {},
): Buffer {
  const names = Object.keys(sheets)
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
  return zipFiles({
    'xl/workbook.xml': `<workbook xmlns:r="${links}">${properties}<sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...names.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ['rIdS', 'styles', 'styles.xml'],
      ['rIdT', 'sharedStrings', 'sharedStrings.xml'],
    ),
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns:r="${links}"><sheetData>${rows}</sheetData>${sheetEnd}</worksheet>`,
      ]),
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': sheetRelations === '' ? relations() : sheetRelations,
  })
}
