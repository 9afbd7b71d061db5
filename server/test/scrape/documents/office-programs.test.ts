// Files as LibreOffice, Word and Excel write them, reduced to what each test is about.
import { expect, test } from 'vitest'
import { convertDocument } from '../../../src/scrape/documents/convert-document.ts'
import type { DocumentKind } from '../../../src/scrape/documents/file-kinds.ts'
import { docx, paragraph, relations, xlsx, zipFiles } from './office-files.ts'

async function toBody(bytes: Uint8Array, kind: DocumentKind): Promise<string> {
  const html = await convertDocument(bytes, kind)
  return /<body>\n([^]*)<\/body>/.exec(html)?.[1]?.trim() ?? ''
}

async function rtf(source: string): Promise<string> {
  return toBody(Buffer.from(`{\\rtf1\\ansi ${source}}`, 'latin1'), 'rtf')
}

const item = (marker: string, level: number, text: string): string =>
  `\\pard\\plain {\\listtext\\pard\\plain ${marker}\\tab}\\ilvl${level}\\ls1 {${text}}\\par `

test.each<[string, string, string]>([
  [
    'headings by the names and the outline levels of styles',
    '{\\stylesheet{\\s1\\b Heading 1;}{\\s5 heading 2,Chapter;}{\\s61 Title;}{\\s7\\outlinelevel2 Mine;}}' +
      '\\pard\\s61 T\\par\\pard\\s1{\\b A}\\par\\pard\\s5 B\\par\\pard\\s7 C\\par\\pard\\outlinelevel3 D\\par\\pard E\\par',
    '<h1>T</h1>\n<h1>A</h1>\n<h2>B</h2>\n<h3>C</h3>\n<h4>D</h4>\n<p>E</p>',
  ],
  [
    'nested lists of both kinds',
    item("\\'b7", 0, 'a') +
      item('1.', 1, 'b') +
      item('ii)', 1, 'c') +
      item("\\u61623\\'3f", 0, 'd') +
      item('1.', 0, 'e'),
    '<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul><ol><li>e</li></ol>',
  ],
  [
    'links',
    '{\\field{\\*\\fldinst HYPERLINK "https://a.test/?q=1&b" }{\\fldrslt {\\ul x}}} {\\field{\\*\\fldinst HYPERLINK \\\\l "top"}{\\fldrslt y}}',
    '<p><a href="https://a.test/?q=1&amp;b">x</a> y</p>',
  ],
  ['only what tracked changes left', '{\\revised new}{\\deleted old}{\\v hidden} end', '<p>new end</p>'],
  [
    'footnotes where they are',
    'A{\\super\\chftn{\\*\\footnote \\pard\\plain\\chftn{\\tab the note}}} B',
    '<p>A (the note) B</p>',
  ],
  ['raised and lowered numbers', 'H{\\sub 2}O 10{\\super -6} 2{\\up8 n}d{\\super nd}', '<p>H₂O 10⁻⁶ 2ⁿdnd</p>'],
  [
    'nested tables in their cell',
    '\\trowd\\intbl a\\cell\\pard\\intbl\\itap2 n1\\nestcell n2\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables\\par}\\pard\\intbl\\cell\\cell\\row\\pard',
    '<table>\n<tr><th>a</th><th>n1<br>n2<br></th></tr>\n</table>',
  ],
])('an RTF has %s', async (_name, source, body) => {
  expect(await rtf(source)).toBe(body)
})

test('an RTF has a title and an author', async () => {
  const html = await convertDocument(Buffer.from('{\\rtf1{\\info{\\title A & B}{\\author Ada}}x}'), 'rtf')

  expect(html).toContain('<title>A &amp; B</title>')
  expect(html).toContain('<meta name="author" content="Ada">')
})

const wordFiles = {
  'word/_rels/document.xml.rels': relations(
    ['n', 'numbering', 'numbering.xml'],
    ['s', 'styles', 'styles.xml'],
    ['f', 'footnotes', 'footnotes.xml'],
    ['e', 'endnotes', 'endnotes.xml'],
  ),
  'word/numbering.xml':
    '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>' +
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>',
  'word/styles.xml':
    '<w:styles><w:style w:styleId="LB2"><w:name w:val="List Bullet 2"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>',
  'word/footnotes.xml':
    '<w:footnotes><w:footnote w:id="1"><w:p><w:r><w:t> Foot</w:t></w:r></w:p></w:footnote></w:footnotes>',
  'word/endnotes.xml': '<w:endnotes><w:endnote w:id="1"><w:p><w:r><w:t>End</w:t></w:r></w:p></w:endnote></w:endnotes>',
}
const listed = (id: number): string => `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr>`

test.each<[string, string, string]>([
  [
    'lists of two kinds that follow each other, and styles of nested lists',
    paragraph('a', listed(1)) + paragraph('b', '<w:pStyle w:val="LB2"/>') + paragraph('c', listed(2)),
    '<ul><li>a<ul><li>b</li></ul></li></ul><ol><li>c</li></ol>',
  ],
  [
    'raised numbers',
    `<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r></w:p>`,
    '<p>10⁶</p>',
  ],
  [
    'formulas as text',
    '<w:p><m:oMath xmlns:m="m"><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>',
    '<p>x2</p>',
  ],
  [
    'footnotes and endnotes',
    '<w:p><w:r><w:t>A</w:t><w:footnoteReference w:id="1"/></w:r><w:r><w:endnoteReference w:id="1"/></w:r></w:p>',
    '<p>A[1][e1]</p>',
  ],
])('a DOCX has %s', async (_name, body, html) => {
  const notes = '\n<p>[1] Foot</p>\n<p>[e1] End</p>'

  expect(await toBody(docx(body, wordFiles), 'docx')).toBe(html + notes)
})

test('an XLSX has durations and links', async () => {
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss"/></numFmts><cellXfs><xf numFmtId="164"/><xf numFmtId="46"/></cellXfs>'
  const row = '<row><c r="A1" s="0"><v>1.25</v></c><c r="B1" s="1"><v>-0.5</v></c><c r="C1" t="str"><v>x</v></c></row>'
  const sheetEnd = '<hyperlinks><hyperlink ref="C1" r:id="l1"/></hyperlinks>'
  const sheetRelations = relations(['l1', 'hyperlink', 'https://a.test/?a=1&amp;b'])
  const bytes = xlsx({ S: row }, { styles, sheetEnd, sheetRelations })

  expect(await toBody(bytes, 'xlsx')).toContain(
    '<tr><th>30:00:00</th><th>-12:00:00</th><th><a href="https://a.test/?a=1&amp;b">x</a></th></tr>',
  )
})

function opendocument(kind: string, body: string, styles = ''): Buffer {
  return zipFiles({
    'content.xml': `<o:document-content xmlns:o="o"><o:automatic-styles>${styles}</o:automatic-styles><o:body><o:${kind}>${body}</o:${kind}></o:body></o:document-content>`,
    'meta.xml':
      '<o:document-meta xmlns:o="o"><o:meta><o:initial-creator>Ada</o:initial-creator></o:meta></o:document-meta>',
  })
}

test('an ODT has its title, author, raised numbers, and all paragraphs of an item', async () => {
  const styles =
    '<s:style s:name="P1" s:parent-style-name="Title"/><s:style s:name="T1"><s:text-properties s:text-position="super 58%"/></s:style>' +
    '<s:style s:name="T2"><s:text-properties s:text-position="-33% 58%"/></s:style>'
  const body =
    '<t:p t:style-name="P1">T</t:p><t:p>x<t:span t:style-name="T1">2</t:span>y<t:span t:style-name="T2">1</t:span></t:p>' +
    '<t:list><t:list-item><t:p>a</t:p><t:p>b</t:p></t:list-item></t:list><t:list><t:list-item><t:list><t:list-item><t:p>c</t:p></t:list-item></t:list></t:list-item></t:list>'
  const bytes = opendocument('text', body, styles)

  expect(await toBody(bytes, 'odt')).toBe('<h1>T</h1>\n<p>x²y₁</p>\n<ul><li>a<br>b<ul><li>c</li></ul></li></ul>')
  expect(await convertDocument(bytes, 'odt')).toContain('<meta name="author" content="Ada">')
})

test('hidden sheets and slides, and comments on cells, are left out', async () => {
  const hidden =
    '<s:style s:name="ta2"><s:table-properties s:display="false"/></s:style><s:style s:name="dp2"><s:drawing-page-properties s:visibility="hidden"/></s:style>'
  const table = (name: string, style: string): string =>
    `<t:table t:name="${name}" t:style-name="${style}"><t:table-row><t:table-cell><o:annotation><t:p>note</t:p></o:annotation><t:p>${name}1</t:p></t:table-cell></t:table-row></t:table>`
  const slide = (name: string, style: string): string => `<d:page d:name="${name}" d:style-name="${style}"/>`

  expect(await toBody(opendocument('spreadsheet', table('A', 'ta1') + table('B', 'ta2'), hidden), 'ods')).toBe(
    '<h2>A</h2>\n<table>\n<tr><th>A1</th></tr>\n</table>',
  )
  expect(await toBody(opendocument('presentation', slide('A', 'dp1') + slide('B', 'dp2'), hidden), 'odp')).toBe(
    '<h2>A</h2>',
  )
})
