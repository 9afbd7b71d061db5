import { expect, test } from 'vitest'
import { convertDocument } from '../../../src/scrape/documents/convert-document.ts'
import type { DocumentKind } from '../../../src/scrape/documents/file-kinds.ts'
import { processHtml } from '../../../src/scrape/format/process-html.ts'
import { docx, paragraph, relations, xlsx, zipFiles } from './office-files.ts'

async function toMarkdown(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  const html = await convertDocument(bytes, kind)
  const job = { html, url: 'https://a.test/', formats: ['markdown'], options: { onlyMainContent: false } } as const
  return (processHtml(job).markdown ?? '').trim()
}

const numbering = {
  'word/_rels/document.xml.rels': relations(
    ['n', 'numbering', 'numbering.xml'],
    ['s', 'styles', 'styles.xml'],
    ['f', 'footnotes', 'footnotes.xml'],
    ['h', 'hyperlink', 'https://a.test/x?a=1&amp;b=2'],
  ),
  'word/numbering.xml':
    '<w:numbering><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>' +
    '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
    '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>',
  'word/styles.xml':
    '<w:styles><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>' +
    '<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>',
  'word/footnotes.xml':
    '<w:footnotes><w:footnote w:id="-1" w:type="separator"/><w:footnote w:id="1"><w:p><w:r><w:t>See below</w:t></w:r></w:p></w:footnote></w:footnotes>',
}

const list = (level: number): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="3"/></w:numPr>`
const cell = (text: string, more = ''): string => `<w:tc>${more}${paragraph(text)}</w:tc>`

test.each<[string, string, string]>([
  [
    'headings',
    paragraph('A', '<w:pStyle w:val="Titel"/>') + paragraph('B', '<w:pStyle w:val="berschrift2"/>'),
    '# A\n\n## B',
  ],
  ['an outline level', paragraph('A', '<w:outlineLvl w:val="2"/>'), '### A'],
  [
    'formats of split runs',
    '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Hel</w:t></w:r><w:r><w:rPr><w:b w:val="1"/></w:rPr><w:t>lo</w:t></w:r>' +
      '<w:r><w:t xml:space="preserve"> you </w:t></w:r><w:r><w:rPr><w:i/><w:b w:val="0"/></w:rPr><w:t>all</w:t></w:r>' +
      '<w:r><w:rPr><w:strike/></w:rPr><w:t>x</w:t></w:r></w:p>',
    '**Hello** you *all*~~x~~',
  ],
  ['nested lists', paragraph('a', list(0)) + paragraph('b', list(1)) + paragraph('c', list(0)), '1. a\n   - b\n2. c'],
  [
    'a table',
    `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('c', '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>')}</w:tr></w:tbl>`,
    '| a | b |\n| --- | --- |\n| c |  |',
  ],
  ['links', '<w:p><w:hyperlink r:id="h"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>', '[x](https://a.test/x?a=1&b=2)'],
  [
    'footnotes and tracked changes',
    '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:footnoteReference w:id="1"/></w:r></w:p>',
    'new[1]',
  ],
  [
    'a text box once',
    '<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>' +
      '<mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>',
    'box',
  ],
  ['markup in text', paragraph('&lt;b&gt; &amp; *x*'), '\\<b> & \\*x\\*'],
])('a DOCX has %s', async (_name, body, markdown) => {
  expect((await toMarkdown('docx', docx(body, numbering))).replaceAll('\\[', '[').replaceAll('\\]', ']')).toBe(
    `${markdown}\n\n[1] See below`,
  )
})

test('a DOCX has the title and author of its properties', async () => {
  const core = '<cp:coreProperties><dc:title>A &amp; B</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>'
  const html = await convertDocument(docx(paragraph('x'), { 'docProps/core.xml': core }), 'docx')

  expect(processHtml({ html, url: 'https://a.test/', formats: [], options: {} }).metadata).toMatchObject({
    title: 'A & B',
    author: 'Ada',
  })
})

const styles =
  '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts>' +
  '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="9"/><xf numFmtId="20"/></cellXfs>'

test('an XLSX has a heading and a table per visible sheet, with empty cells', async () => {
  const strings = '<si><t>Name</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si>'
  const sheets = {
    'One &amp; all':
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row><row r="3"/>' +
      '<row r="9"><c r="B9" t="inlineStr"><is><t>a|b\nc</t></is></c><c r="C9" t="b"><v>1</v></c><c r="D9"/></row>',
    Two: '<row><c><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><f>A1</f><v>sum</v></c></row>',
  }

  expect(await toMarkdown('xlsx', xlsx(sheets, { strings }))).toBe(
    '## One & all\n\n| Name |  | rich |\n| --- | --- | --- |\n|  | a\\|b<br>c | TRUE |\n\n## Two\n\n| 1 | #N/A | sum |\n| --- | --- | --- |',
  )
})

test.each<[string, string, string, string]>([
  ['a number', '<c><v>0.30000000000000004</v></c>', '', '0.3'],
  ['a date', '<c s="1"><v>46053</v></c>', '', '2026-01-31'],
  ['a date and time', '<c s="2"><v>46053.5</v></c>', '', '2026-01-31 12:00:00'],
  ['a time', '<c s="5"><v>0.75</v></c>', '', '18:00:00'],
  ['days in words', '<c s="3"><v>46053</v></c>', '', '46053'],
  ['a percentage', '<c s="4"><v>0.07</v></c>', '', '7%'],
  ['a date since 1904', '<c s="1"><v>44591</v></c>', '<workbookPr date1904="1"/>', '2026-01-31'],
  ['the first of March 1900', '<c s="1"><v>61</v></c>', '', '1900-03-01'],
  ['the first of January 1900', '<c s="1"><v>1</v></c>', '', '1900-01-01'],
])('an XLSX shows %s', async (_name, cells, properties, text) => {
  expect(await toMarkdown('xlsx', xlsx({ S: `<row>${cells}</row>` }, { styles, properties }))).toContain(`| ${text} |`)
})

const slideText = (type: string, ...texts: readonly string[]): string =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:rPr b="1"/><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`
const slide = (shapes: string, more = ''): string =>
  `<p:sld ${more}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`

test('a PPTX has its visible slides in their order, with tables and notes', async () => {
  const table =
    '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
  const bytes = zipFiles({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="1" r:id="b"/><p:sldId id="2" r:id="h"/><p:sldId id="3" r:id="a"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations(
      ['a', 'slide', 'slides/slide1.xml'],
      ['b', 'slide', '/ppt/slides/slide2.xml'],
      ['h', 'slide', 'slides/slide3.xml'],
    ),
    'ppt/slides/slide1.xml': slide(table),
    'ppt/slides/slide2.xml': slide(
      slideText('body', 'one', 'two') + slideText('title', 'Goals') + slideText('sldNum', '7'),
    ),
    'ppt/slides/slide3.xml': slide(slideText('title', 'hidden'), 'show="0"'),
    'ppt/slides/_rels/slide2.xml.rels': relations(['n', 'notesSlide', '../notesSlides/n.xml']),
    'ppt/notesSlides/n.xml': slide(slideText('body', 'Say hello')),
  })

  expect(await toMarkdown('pptx', bytes)).toBe(
    '## Goals\n\n- **one**\n- **two**\n\n### Notes\n\n**Say hello**\n\n| x |\n| --- |',
  )
})

const automatic =
  '<office:automatic-styles><style:style style:name="T1"><style:text-properties fo:font-weight="bold"/></style:style>' +
  '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles>'
const odf = (body: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  zipFiles({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content>${automatic}<office:body>${body}</office:body></office:document-content>`,
    ...more,
  })

test.each<[DocumentKind, string, string, string]>([
  [
    'odt',
    'headings and text',
    '<office:text><text:h text:outline-level="2">A</text:h><text:p>a<text:s text:c="3"/><text:span text:style-name="T1">b</text:span> <text:a xlink:href="https://a.test/">c</text:a></text:p></office:text>',
    '## A\n\na **b** [c](https://a.test/)',
  ],
  [
    'odt',
    'nested lists',
    '<office:text><text:list text:style-name="L1"><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list></office:text>',
    '1. a\n   - b',
  ],
  [
    'ods',
    'sheets with repeated cells, within limits',
    '<office:spreadsheet><table:table table:name="One"><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16380"/></table:table-row><table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>',
    '## One\n\n| x | x |\n| --- | --- |',
  ],
  [
    'odp',
    'slides with notes',
    '<office:presentation><draw:page draw:name="p1"><draw:frame><draw:text-box><text:p>text</text:p></draw:text-box></draw:frame><draw:frame presentation:class="title"><draw:text-box><text:p>Goals</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>note</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation>',
    '## Goals\n\ntext\n\n### Notes\n\nnote',
  ],
])('an %s has %s', async (kind, _name, body, markdown) => {
  expect(await toMarkdown(kind, odf(body))).toBe(markdown)
})

test('refuses an encrypted ODT, and repeated cells without end', async () => {
  const manifest =
    '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
  const locked = odf('', { 'META-INF/manifest.xml': manifest })
  const cells = '<table:table-cell table:number-columns-repeated="999999999"><text:p>x</text:p></table:table-cell>'
  const huge = odf(
    `<office:spreadsheet><table:table><table:table-row table:number-rows-repeated="999999999">${cells}</table:table-row></table:table></office:spreadsheet>`,
  )

  await expect(convertDocument(locked, 'odt')).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' })
  await expect(convertDocument(huge, 'ods')).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' })
})

test('an EPUB has its chapters in reading order', async () => {
  const bytes = zipFiles({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf':
      '<package><metadata><dc:title>Book</dc:title></metadata><manifest><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'OPS/one.xhtml':
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x"><html><head><title/><script src="x"/></head><body><h1>One</h1><a id="p1"/><p>A&nbsp;&amp; <em>B</em></p></body></html>',
    'OPS/two b.xhtml': '<html><body><h1>Two</h1><p><a href="one.xhtml">back</a></p></body></html>',
  })

  expect(await toMarkdown('epub', bytes)).toBe('# One\n\nA & *B*\n\n# Two\n\nback')
  expect(await convertDocument(bytes, 'epub')).toContain('<title>Book</title>')
})

test.each<[string, string, string]>([
  [
    'text',
    '{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator x;}A \\b bold\\b0  and {\\i it}\\par\r\nB\\par}',
    'A **bold** and *it*\n\nB',
  ],
  ['characters', "{\\rtf1\\ansicpg1252 \\'e9\\u8364?\\{x\\}\\emdash }", 'é€{x}—'],
  [
    'a table',
    '{\\rtf1 \\trowd\\pard\\intbl a\\cell b\\cell\\row\\trowd\\pard\\intbl c\\cell d\\cell\\row\\pard end\\par}',
    '| a | b |\n| --- | --- |\n| c | d |\n\nend',
  ],
])('an RTF has %s', async (_name, source, markdown) => {
  expect(await toMarkdown('rtf', Buffer.from(source, 'latin1'))).toBe(markdown)
})
