import { expect, test } from 'vitest'
import { processHtml } from '../../../src/scrape/format/process-html.ts'
import { testCases, url } from './markdown-cases.ts'

const note = '[^1]\n\n[^1]: Source'

testCases({
  'footnotes as written by': [
    [
      'GitHub',
      '<p>a<sup><a href="#fn-1" id="ref-1" data-footnote-ref>1</a></sup></p><section class="footnotes" data-footnotes><ol><li id="fn-1"><p>Source <a href="#ref-1" class="data-footnote-backref">↩</a></p></li></ol></section>',
      `a${note}`,
    ],
    [
      'Pandoc',
      '<p>a<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a></p><section id="footnotes" role="doc-endnotes"><hr><ol><li id="fn1"><p>Source<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>',
      'a[^1]\n\n---\n\n[^1]: Source',
    ],
    [
      'Python-Markdown',
      '<p>a<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup></p><div class="footnote"><ol><li id="fn:1"><p>Source&#160;<a class="footnote-backref" href="#fnref:1">&#8617;</a></p></li></ol></div>',
      `a${note}`,
    ],
    [
      'MediaWiki, cited twice',
      '<p>a<sup id="cite_ref-x_1-0" class="reference"><a href="#cite_note-x-1"><span class="cite-bracket">[</span>1<span class="cite-bracket">]</span></a></sup> b<sup id="cite_ref-x_1-1" class="reference"><a href="#cite_note-x-1">[1]</a></sup></p><ol class="references"><li id="cite_note-x-1"><span class="mw-cite-backlink">^ <a href="#cite_ref-x_1-0"><sup><i><b>a</b></i></sup></a> <a href="#cite_ref-x_1-1"><sup><i><b>b</b></i></sup></a></span> <span class="reference-text">Source</span></li></ol>',
      'a[^1] b[^1]\n\n[^1]: Source',
    ],
    [
      'Sphinx',
      '<p>a<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a></p><aside class="footnote brackets" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>Source</p></aside>',
      `a${note}`,
    ],
    [
      'older Sphinx, as a definition',
      '<p>a<a class="footnote-reference brackets" href="#id2" id="id1">1</a></p><dl class="footnote brackets"><dt class="label" id="id2"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>Source</p></dd></dl>',
      `a${note}`,
    ],
    [
      'Word',
      '<p>a<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p><div id="ftn1"><p><a href="#_ftnref1" name="_ftn1">[1]</a> Source</p></div>',
      `a${note}`,
    ],
    [
      'Substack',
      '<p>a<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a></p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>Source</p></div></div>',
      `a${note}`,
    ],
    [
      'hand, with a list of paragraphs and code',
      '<p>a<sup><a href="#n1" id="r1">1</a></sup></p><ol><li id="n1"><p>Source</p><pre>x\ny</pre><a href="#r1">back</a></li></ol>',
      'a[^1]\n\n[^1]: Source\n\n    ```\n    x\n    y\n    ```',
    ],
    [
      'two chapters that both start at one',
      '<p>a<sup><a href="#a1" id="ra">1</a></sup></p><ol class="footnotes"><li id="a1">A</li></ol><p>b<sup><a href="#b1" id="rb">1</a></sup></p><ol class="footnotes"><li id="b1">B</li></ol>',
      'a[^1]\n\n[^1]: A\n\nb[^1-2]\n\n[^1-2]: B',
    ],
    [
      'no generator: a raised link to a section',
      '<p>a<sup><a href="#part">2</a></sup></p><section id="part"><h2>Part</h2></section>',
      'a[2](https://site.example/docs/page.html#part)\n\n## Part',
    ],
    [
      'no generator: a note that is not on the page',
      '<p>a<sup><a href="#gone">1</a></sup></p>',
      'a[1](https://site.example/docs/page.html#gone)',
    ],
  ],
  'formulas as written by': [
    [
      'KaTeX',
      '<p>a <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1 * y</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>x1y</span></span></span> b</p>',
      'a $x_1 * y$ b',
    ],
    [
      'KaTeX, as a block',
      '<p>a <span class="katex-display"><span class="katex"><span class="katex-mathml"><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html"><span>x2</span></span></span></span> b</p>',
      'a\n\n$$x^2$$\n\nb',
    ],
    [
      'MathJax 2, beside its preview and drawing',
      '<p>a <span class="MathJax_Preview">x</span><span class="MathJax" id="MathJax-1"><nobr>x2</nobr></span><script type="math/tex">x^2</script> b</p>',
      'a $x^2$ b',
    ],
    ['MathJax 2, as a block', '<script type="math/tex; mode=display">\\sum_i x_i</script>', '$$\\sum_i x_i$$'],
    [
      'MathJax 3',
      '<p>a <mjx-container class="MathJax" jax="SVG"><svg><text>x</text></svg><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container></p>',
      'a $x^2$',
    ],
    [
      'MathJax 3, as a block',
      '<mjx-container display="true"><mjx-assistive-mml><math><mi>y</mi></math></mjx-assistive-mml></mjx-container>',
      '$$y$$',
    ],
    [
      'MediaWiki',
      '<p>a <span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="{\\displaystyle E=mc^{2}}"><semantics><mi>E</mi><annotation encoding="application/x-tex">E=mc^{2}</annotation></semantics></math></span><img src="/e.svg" class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}"></span></p>',
      'a $E=mc^{2}$',
    ],
    [
      'MediaWiki, as an image only',
      '<p><img src="/e.svg" class="mwe-math-fallback-image-display" alt="{\\displaystyle E=mc^{2}}"></p>',
      '$$E=mc^{2}$$',
    ],
    ['WordPress', '<p>a <img src="/latex.php?latex=x%5E2" alt="x^2" class="latex"></p>', 'a $x^2$'],
    ['MkDocs', '<p>a <span class="arithmatex">\\(x_1*y_1\\)</span></p>', 'a $x_1*y_1$'],
    ['Sphinx', '<div class="math notranslate nohighlight">\n\\[\na_1 &amp; b\n\\]</div>', '$$a_1 & b$$'],
    [
      'authors, between delimiters',
      '<p>with \\(a_1\\) and \\[b_1 * c_1\\] and $$d_1$$ here</p>',
      'with $a_1$ and\n\n$$b_1 * c_1$$\n\nand\n\n$$d_1$$\n\nhere',
    ],
    ['no generator: a price and a pattern in code', '<p>$5 and $6, <code>\\(a\\)</code></p>', '$5 and $6, `\\(a\\)`'],
  ],
  'MathML as TeX:': [
    [
      'fraction',
      '<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>',
      '$\\frac{a}{b+1}$',
    ],
    ['roots', '<math><msqrt><mi>x</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot></math>', '$\\sqrt{x}\\sqrt[3]{y}$'],
    [
      'scripts of one and of several symbols',
      '<math><msub><mi>x</mi><mn>1</mn></msub><msup><mrow><mi>a</mi><mi>b</mi></mrow><mi>n</mi></msup><msubsup><mi>y</mi><mi>i</mi><mn>10</mn></msubsup></math>',
      '$x_1{ab}^ny_i^{10}$',
    ],
    [
      'sum with limits',
      '<math display="block"><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi></math>',
      '$$\\sum_{i=1}^ni$$',
    ],
    [
      'Greek letters and operators, apart from letters after them',
      '<math><mi>α</mi><mi>x</mi><mo>≤</mo><mi>π</mi><mo>⁢</mo><mi>r</mi></math>',
      '$\\alpha x\\leq\\pi r$',
    ],
    [
      'functions, names and text',
      '<math><mi>sin</mi><mi>x</mi><mtext>if</mtext><mi>rank</mi></math>',
      '$\\sin x\\text{if}\\mathrm{rank}$',
    ],
    [
      'accents',
      '<math><mover><mi>v</mi><mo>→</mo></mover><mover><mi>x</mi><mo>¯</mo></mover></math>',
      '$\\vec{v}\\overline{x}$',
    ],
    [
      'matrix in brackets',
      '<math><mfenced open="[" close="]"><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></mfenced></math>',
      '$[\\begin{matrix} 1 & 0 \\\\ 0 & 1 \\end{matrix}]$',
    ],
    ['empty, not written', '<p>a<math></math></p>', 'a'],
  ],
  'media of other sites': [
    [
      'YouTube',
      '<p>a</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0" title="A song"></iframe>',
      'a\n\n[A song](https://www.youtube.com/watch?v=dQw4w9WgXcQ)',
    ],
    [
      'YouTube, loaded late',
      '<iframe src="about:blank" data-src="//www.youtube-nocookie.com/embed/dQw4w9WgXcQ"></iframe>',
      '[YouTube video](https://www.youtube.com/watch?v=dQw4w9WgXcQ)',
    ],
    [
      'YouTube, as a custom element',
      '<lite-youtube videoid="dQw4w9WgXcQ" playlabel="A song"></lite-youtube>',
      '[A song](https://www.youtube.com/watch?v=dQw4w9WgXcQ)',
    ],
    [
      'Vimeo',
      '<iframe src="https://player.vimeo.com/video/76979871"></iframe>',
      '[Vimeo video](https://vimeo.com/76979871)',
    ],
    [
      'X',
      '<iframe src="https://platform.twitter.com/embed/Tweet.html?dnt=true&id=1234567890123"></iframe>',
      '[Post on X](https://x.com/i/status/1234567890123)',
    ],
    [
      'X, before its script has run',
      '<blockquote class="twitter-tweet"><p>Hello</p>— A (@a) <a href="https://twitter.com/a/status/1">May 1</a></blockquote>',
      '> Hello\n>\n> — A (@a) [May 1](https://twitter.com/a/status/1)',
    ],
    ['no known site, not written', '<p>a</p><iframe src="https://ads.example/x"></iframe>', 'a'],
  ],
  'videos and sounds of the page': [
    ['as links', '<video controls title="Tour"><source src="/t.mp4"></video>', '[Tour](https://site.example/t.mp4)'],
    ['not if they only decorate', '<p>a</p><video autoplay muted loop src="/b.mp4"></video>', 'a'],
    ['without a title', '<p>Hear <audio src="a.mp3"></audio></p>', 'Hear [Audio](https://site.example/docs/a.mp3)'],
  ],
  'images that are loaded late': [
    [
      'by data-lazy-src',
      '<img src="data:image/gif;base64,R0" data-lazy-src="/a.jpg">',
      '![](https://site.example/a.jpg)',
    ],
    ['by data-original', '<img class="lazy" data-original="/a.jpg" alt="A">', '![A](https://site.example/a.jpg)'],
    ['by data-srcset', '<img data-srcset="/a.jpg 1x, /b.jpg 2x" alt="A">', '![A](https://site.example/b.jpg)'],
    [
      'by Next.js, with the image in noscript',
      '<span><img src="data:image/gif;base64,R0" alt="A"><noscript><img src="/a.jpg" alt="A"></noscript></span>',
      '![A](https://site.example/a.jpg)',
    ],
    [
      'by WordPress, with the image in noscript before it',
      '<noscript><img src="/a.jpg" alt="A"></noscript><img class="lazyload" src="/blank.gif" alt="A">',
      '![A](https://site.example/a.jpg)',
    ],
    [
      'not if the image has a URL',
      '<img src="/a.jpg"><noscript><img src="/pixel.jpg"></noscript>',
      '![](https://site.example/a.jpg)',
    ],
  ],
  figures: [
    [
      'with a linked caption',
      '<figure><a href="/big"><img src="/i.png" alt="A"></a><figcaption>By <a href="/b">B</a></figcaption></figure>',
      '[![A](https://site.example/i.png)](https://site.example/big)\n\nBy [B](https://site.example/b)',
    ],
    ['with code', '<figure><figcaption>Listing</figcaption><pre>x</pre></figure>', 'Listing\n\n```\nx\n```'],
    ['with a quote', '<figure><blockquote>a</blockquote><figcaption>B</figcaption></figure>', '> a\n\nB'],
  ],
  'tables in tables and blocks in cells': [
    [
      'a table of data',
      '<table><tr><th>A<th>B<tr><td><table><tr><th>x<th>y<tr><td>1<td>2</table><td>z</table>',
      '| A | B |\n| --- | --- |\n| x, y<br>1, 2 | z |',
    ],
    [
      'code',
      '<table><tr><th>A<th>B<tr><td><pre>a\nb</pre><td>z</table>',
      '| A | B |\n| --- | --- |\n| `a`<br>`b` | z |',
    ],
    [
      'a heading and a quote',
      '<table><tr><th>A<th>B<tr><td><h4>H</h4><td><blockquote>q</blockquote></table>',
      '| A | B |\n| --- | --- |\n| **H** | q |',
    ],
  ],
  'complex lists': [
    [
      'four levels deep, mixed',
      '<ol><li>a<ul><li>b<ol><li>c<ul><li>d</ul></ol></ul></ol>',
      '1. a\n   - b\n     1. c\n        - d',
    ],
    [
      'with a table in an item',
      '<ul><li>a<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>',
      '- a\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |',
    ],
    ['with a quote in an item', '<ul><li>a<blockquote>b</blockquote></ul>', '- a\n\n  > b'],
    ['with text after a nested list', '<ul><li>a<ul><li>b</ul>c</ul>', '- a\n  - b\n\n  c'],
    ['with a heading in an item', '<ol><li><h3>A</h3><p>b</p></ol>', '1. ### A\n\n   b'],
    ['with definitions of several blocks', '<dl><dt>T<dd><p>a</p><ul><li>b</ul></dl>', 'T\n: a\n\n  - b'],
  ],
})

test('a formula, a video and a note survive the choice of the main content', () => {
  const sentence = 'A long sentence of an article tells its readers in plain words how things fall to the ground. '
  const html = `<nav><a href="/">Home</a></nav><article><h1>Gravity</h1><p>${sentence.repeat(5)}<span class="arithmatex">\\(F=ma\\)</span></p>
    <iframe src="https://player.vimeo.com/video/76979871" title="Falling"></iframe>
    <p>${sentence.repeat(5)}<sup><a href="#n" id="r">1</a></sup></p><ol class="footnotes"><li id="n">${sentence} <a href="#r">↩</a></li></ol></article>`
  const { markdown } = processHtml({ html, url, formats: ['markdown'], options: {} })

  expect(markdown).toContain('$F=ma$')
  expect(markdown).toContain('[Falling](https://vimeo.com/76979871)')
  expect(markdown).toContain('[^1]: A long')
})
