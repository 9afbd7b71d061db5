import { expect, test } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { testCases, url } from './markdown-cases.ts'

testCases({
  headings: [
    ['six levels', '<h1>A</h1><h2>B</h2><h6>C</h6>', '# A\n\n## B\n\n###### C'],
    ['without permalinks', '<h2>Setup<a class="headerlink" href="#setup">¶</a></h2>', '## Setup'],
    ['without bold around the whole text', '<h2><strong>Setup</strong></h2>', '## Setup'],
    ['on one line', '<h3>Two<br>lines</h3>', '### Two lines'],
    ['not if empty', '<h2> </h2><p>Text</p>', 'Text'],
  ],
  paragraphs: [
    ['with white space collapsed', '<p> a\n  b\t c </p>', 'a b c'],
    ['without the title above them, in a head or not', '<!doctype html><title>T</title><p>a</p>', 'a'],
    ['with breaks', '<p>one<br>two</p>', 'one  \ntwo'],
    ['split at two breaks', 'one<br><br>two', 'one\n\ntwo'],
    ['next to text without a paragraph', 'loose<p>inside</p>after', 'loose\n\ninside\n\nafter'],
    ['that look like lists', '<p>1. no list</p><p>- nor this</p>', '1\\. no list\n\n\\- nor this'],
    ['that look like headings and quotes', '<p># no</p><p>> no</p>', '\\# no\n\n\\> no'],
    ['with characters of markup', '<p>2*3*4, `x`, &lt;b&gt;, &amp;lt;</p>', '2\\*3\\*4, \\`x\\`, \\<b>, \\&lt;'],
    ['with names in snake case', '<p>a snake_case_name and _this_</p>', 'a snake_case_name and \\_this\\_'],
    ['with brackets that look like links', '<p>[a](b)</p>', '[a\\](b)'],
    ['separated by a rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
  ],
  emphasis: [
    ['strong, emphasized, struck', '<b>a</b> <em>b</em> <del>c</del>', '**a** *b* ~~c~~'],
    ['with the spaces outside', 'x<b> bold </b>y', 'x **bold** y'],
    ['inside a word', 'un<i>frigging</i>believable', 'un*frigging*believable'],
    ['with the colon outside where a word follows', '<b>Note:</b>this', '**Note**:this'],
    ['with the colon inside where a space follows', '<b>Note:</b> this', '**Note:** this'],
    ['nested', '<b>a <i>b</i></b>', '**a *b***'],
    ['side by side', '<b>a</b><b>b</b>', '**ab**'],
    ['over two lines', '<b>a<br>b</b>', '**a**  \n**b**'],
    ['not if empty', 'a<b> </b>b', 'a b'],
    ['unclosed, to the end of the paragraph', '<p><b>a<p>b', '**a**\n\nb'],
  ],
  code: [
    ['in a line', '<code>a_b*c</code>', '`a_b*c`'],
    ['with a backtick', '<code>a`b</code>', '``a`b``'],
    ['that is a link', '<a href="/f"><code>f()</code></a>', '[`f()`](https://site.example/f)'],
    ['in a block, unchanged', '<pre>a  b\n  c &lt;d&gt;\n</pre>', '```\na  b\n  c <d>\n```'],
    ['with its language on the code', '<pre><code class="language-ts">let a</code></pre>', '```ts\nlet a\n```'],
    ['with its language on the block', '<pre class="lang-python">a</pre>', '```python\na\n```'],
    [
      'with its language on the parent',
      '<div class="highlight highlight-source-js"><pre>a</pre></div>',
      '```js\na\n```',
    ],
    [
      'with its language on the grandparent',
      '<div class="highlight-rust notranslate"><div class="highlight"><pre>a</pre></div></div>',
      '```rust\na\n```',
    ],
    ['that has a fence in it', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['whose lines are elements', '<pre><div>a</div><div>b</div></pre>', '```\na\nb\n```'],
    ['whose lines are breaks', '<pre>a<br>b</pre>', '```\na\nb\n```'],
    [
      'without line numbers',
      '<table><tr><td class="gutter"><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>',
      '```\na\nb\n```',
    ],
  ],
  lists: [
    ['of points', '<ul><li>a<li>b</ul>', '- a\n- b'],
    ['of numbers with any start', '<ol start="3"><li>a<li value="7">b<li>c</ol>', '3. a\n7. b\n8. c'],
    ['nested', '<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>', '- a\n  - b\n    1. c\n- d'],
    ['nested without an item between', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['nested before any item', '<ul><ul><li>a</li></ul></ul>', '- a'],
    ['with paragraphs', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n\n- c'],
    ['with code', '<ol><li>Run<pre>x</pre></ol>', '1. Run\n\n   ```\n   x\n   ```'],
    [
      'of tasks',
      '<ul><li><input type="checkbox" checked> a<li><label><input type="checkbox"> b</label></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['of definitions', '<dl><dt>T<dd>one<dd>two<dt>U<dd>three</dl>', 'T\n: one\n: two\n\nU\n: three'],
    ['of definitions in groups', '<dl><div><dt>T</dt><dd>one</dd></div></dl>', 'T\n: one'],
    ['without empty items', '<ul><li></li><li>a</li></ul>', '- a'],
  ],
  tables: [
    ['with a head', '<table><tr><th>A<th>B<tr><td>1<td>2</table>', '| A | B |\n| --- | --- |\n| 1 | 2 |'],
    [
      'with a cell over two columns',
      '<table><tr><th colspan=2>A<tr><td>1<td>2</table>',
      '| A |  |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'with a cell over two rows',
      '<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3</table>',
      '| A | B |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |',
    ],
    [
      'with bars and breaks in cells',
      '<table><tr><th>A|B<th>C<tr><td>x<br>y<td>z</table>',
      '| A\\|B | C |\n| --- | --- |\n| x<br>y | z |',
    ],
    [
      'with a list in a cell',
      '<table><tr><th>A<th>B<tr><td><ul><li>x<li>y</ul><td>z</table>',
      '| A | B |\n| --- | --- |\n| - x<br>- y | z |',
    ],
    [
      'with a caption',
      '<table><caption>C</caption><tr><th>A<th>B<tr><td>1<td>2</table>',
      'C\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'with text outside of its cells',
      '<table><tr><th>A<th>B</tr>stray<tr><td>1<td>2</table>',
      'stray\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['for the layout', '<table role="presentation"><tr><td>a<td>b</table>', 'a\n\nb'],
    [
      'for the layout, around others',
      '<table><tr><td>a<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>',
      'a\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
  ],
  quotes: [
    ['with paragraphs', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['nested', '<blockquote>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['in a line', '<p><q>a</q></p>', '"a"'],
  ],
  links: [
    ['relative to the page', '<a href="../a?b=c#d">x</a>', '[x](https://site.example/a?b=c#d)'],
    ['relative to the base', '<base href="https://cdn.example/v1/"><a href="a">x</a>', '[x](https://cdn.example/v1/a)'],
    ['to mail and telephone', '<a href="mailto:a@b.c">m</a> <a href="tel:1">t</a>', '[m](mailto:a@b.c) [t](tel:1)'],
    ['that are scripts, as text', '<a href="javascript:void(0)">x</a> <a href=" java\nscript:f()">y</a>', 'x y'],
    ['with spaces and parentheses', '<a href="/a b(c">x</a>', '[x](https://site.example/a%20b%28c)'],
    ['with brackets in their text', '<a href="/a">[1]</a>', '[\\[1\\]](https://site.example/a)'],
    ['without text, not written', '<p>a<a href="/x"></a>b</p>', 'ab'],
    [
      'around an image',
      '<a href="/a"><img src="/i.png" alt="I"></a>',
      '[![I](https://site.example/i.png)](https://site.example/a)',
    ],
    ['around a card, on its heading', '<a href="/a"><h3>T</h3><p>d</p></a>', '### [T](https://site.example/a)\n\nd'],
    ['with emphasis inside', '<a href="/a"><b>x</b> y</a>', '[**x** y](https://site.example/a)'],
  ],
  images: [
    ['with text and title', '<img src="/i.png" alt="A" title="T">', '![A](https://site.example/i.png "T")'],
    ['loaded late', '<img src="/blank.gif" data-src="/i.jpg" alt="A">', '![A](https://site.example/i.jpg)'],
    [
      'in several sizes',
      '<img src="/s.jpg" srcset="/s.jpg 300w, /l.jpg 900w" alt="A">',
      '![A](https://site.example/l.jpg)',
    ],
    [
      'in a picture',
      '<picture><source srcset="/i.webp 2x"><img alt="A"></picture>',
      '![A](https://site.example/i.webp)',
    ],
    [
      'inside the page, as their text',
      '<img src="data:image/png;base64,AAAA" alt="Logo">',
      '![Logo](<Base64-Image-Removed>)',
    ],
    ['that count visits, not written', '<p>a<img src="/t.gif" width="1" height="1"></p>', 'a'],
  ],
  'hidden content': [
    ['by attribute', '<p>a</p><p hidden>b</p>', 'a'],
    ['by style', '<p>a</p><div style="color:red; display: none">b</div><p style="visibility:hidden">c</p>', 'a'],
    [
      'scripts, styles, templates, comments',
      '<p>a</p><script>b</script><style>c</style><template>d</template><!-- e -->',
      'a',
    ],
    ['controls', '<p>a</p><select><option>b</select><textarea>c</textarea>', 'a'],
    ['drawings', '<p>a<svg><title>b</title><text>c</text></svg></p>', 'a'],
  ],
  'visible content': [
    [
      'a shadow tree written in the page',
      '<x-a><template shadowrootmode="open"><p>in the shade</p></template></x-a>',
      'in the shade',
    ],
    [
      'formulas, as TeX',
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$',
    ],
    [
      'captions of figures',
      '<figure><img src="/i.png" alt="A"><figcaption>C</figcaption></figure>',
      '![A](https://site.example/i.png)\n\nC',
    ],
    [
      'a page as `<noscript>` when there is no other',
      `<div id="app"></div><noscript><p>${'word '.repeat(120).trim()}</p></noscript>`,
      'word '.repeat(120).trim(),
    ],
  ],
})

test('inline images are kept on request', () => {
  const markdown = htmlToMarkdown('<img src="data:image/png;base64,AAAA" alt="L">', url, { removeBase64Images: false })

  expect(markdown).toBe('![L](data:image/png;base64,AAAA)\n')
})
