import { testCases } from './markdown-cases.ts'

testCases({
  'admonitions as written by': [
    [
      'Sphinx',
      '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Hot</p></div>',
      '> [!WARNING]\n> Hot',
    ],
    [
      'MkDocs, with a title and a list',
      '<div class="admonition tip"><p class="admonition-title">Save time</p><p>Do</p><ul><li>a</li></ul></div>',
      '> [!TIP]\n> **Save time**\n>\n> Do\n>\n> - a',
    ],
    [
      'MkDocs, folded',
      '<details class="note"><summary>Details</summary><p>x</p></details>',
      '> [!NOTE]\n> **Details**\n>\n> x',
    ],
    [
      'Docusaurus',
      '<div class="theme-admonition theme-admonition-danger admonition_xJq3 alert alert--danger"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg></svg></span>danger</div><div class="admonitionContent_BuS1"><p>Hot</p></div></div>',
      '> [!CAUTION]\n> Hot',
    ],
    [
      'VitePress',
      '<div class="info custom-block"><p class="custom-block-title">INFO</p><p>x</p></div>',
      '> [!NOTE]\n> x',
    ],
    [
      'GitHub',
      '<div class="markdown-alert markdown-alert-important"><p class="markdown-alert-title"><svg></svg>Important</p><p>x</p></div>',
      '> [!IMPORTANT]\n> x',
    ],
    [
      'Starlight',
      '<aside aria-label="Tip" class="starlight-aside starlight-aside--tip"><p class="starlight-aside__title" aria-hidden="true"><svg></svg>Tip</p><div class="starlight-aside__content"><p>x</p></div></aside>',
      '> [!TIP]\n> x',
    ],
    [
      'Asciidoctor',
      '<div class="admonitionblock caution"><table><tr><td class="icon"><i class="fa icon-caution" title="Caution"></i></td><td class="content"><div class="paragraph"><p>Hot</p></div></td></tr></table></div>',
      '> [!CAUTION]\n> Hot',
    ],
    [
      'Hugo Docsy',
      '<div class="alert alert-warning" role="alert"><h4 class="alert-heading">Careful</h4><p>Hot</p></div>',
      '> [!WARNING]\n> **Careful**\n>\n> Hot',
    ],
    ['Hugo Book', '<blockquote class="book-hint danger"><p>Hot</p></blockquote>', '> [!CAUTION]\n> Hot'],
    ['GitBook', '<div class="hint hint-success"><p>Done</p></div>', '> [!TIP]\n> Done'],
    [
      'ReadMe',
      '<blockquote class="callout callout_info"><h3 class="callout-heading">Read on</h3><p>x</p></blockquote>',
      '> [!NOTE]\n> **Read on**\n>\n> x',
    ],
    ['DocFX', '<div class="IMPORTANT"><h5>Important</h5><p>x</p></div>', '> [!IMPORTANT]\n> x'],
    [
      'mdBook',
      '<blockquote class="blockquote-tag blockquote-tag-note"><p class="blockquote-tag-title"><svg></svg>Note</p><p>x</p></blockquote>',
      '> [!NOTE]\n> x',
    ],
    [
      'Sphinx, as a hint',
      '<div class="admonition hint"><p class="admonition-title">Hint</p><p>x</p></div>',
      '> [!TIP]\n> x',
    ],
    [
      'no generator, such as a notice of a shop, as text',
      '<div class="alert alert-info"><p>In stock</p></div>',
      'In stock',
    ],
  ],
  headings: [
    ['that link to themselves', '<h2 id="a"><a class="header" href="#a">Setup</a></h2>', '## Setup'],
    [
      'with a link of zero width',
      '<h2 id="a">Setup <a class="header-anchor" href="#a" aria-label="Permalink">&#8203;</a></h2>',
      '## Setup',
    ],
    [
      'beside an icon',
      '<div class="markdown-heading"><h2>Setup</h2><a class="anchor" href="#setup" aria-label="Permalink: Setup"><svg></svg></a></div>',
      '## Setup',
    ],
    [
      'beside a hidden label',
      '<div><h2>Setup</h2><a class="sl-anchor-link" href="#setup"><span class="sr-only">Section titled Setup</span></a></div>',
      '## Setup',
    ],
    [
      'with links to edit them',
      '<h2>Life<span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>',
      '## Life',
    ],
    ['with a link to another page', '<h2><a href="/a">Setup</a></h2>', '## [Setup](https://site.example/a)'],
  ],
  'code blocks': [
    [
      'of GitHub, a table row per line',
      '<table class="highlight js-file-line-container"><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">if x:</td></tr><tr><td class="blob-num"></td><td class="blob-code">  y</td></tr></table>',
      '```\nif x:\n  y\n```',
    ],
    [
      'of Hugo, numbered beside the code',
      '<div class="highlight"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre class="chroma"><code class="language-go" data-lang="go">a\nb</code></pre></td></tr></table></div>',
      '```go\na\nb\n```',
    ],
    [
      'of Hugo, numbered in the code',
      '<pre class="chroma"><code><span class="line"><span class="ln">1</span>a\n</span></code></pre>',
      '```\na\n```',
    ],
    [
      'of Jekyll',
      '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code><table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1\n</pre></td><td class="rouge-code"><pre>puts\n</pre></td></tr></table></code></pre></div></div>',
      '```ruby\nputs\n```',
    ],
    [
      'of Prism, with rows of numbers',
      '<pre class="language-css line-numbers"><code class="language-css">a{}<span aria-hidden="true" class="line-numbers-rows"><span></span></span></code></pre>',
      '```css\na{}\n```',
    ],
    [
      'of highlight.js, as a table',
      '<pre><code class="hljs language-js"><table class="hljs-ln"><tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="1"><div class="hljs-ln-n"></div></td><td class="hljs-ln-line hljs-ln-code">let a</td></tr></table></code></pre>',
      '```js\nlet a\n```',
    ],
    [
      'of SyntaxHighlighter',
      '<div class="syntaxhighlighter  php"><table><tr><td class="gutter"><div class="line">1</div><div class="line">2</div></td><td class="code"><div class="container"><div class="line"><code class="php plain">$a</code></div><div class="line"><code class="php plain">$b</code></div></div></td></tr></table></div>',
      '```php\n$a\n$b\n```',
    ],
    [
      'of VitePress, with language, numbers and a button to copy',
      '<div class="language-ts vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki"><code><span class="line">let a</span>\n<span class="line">let b</span></code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br></div></div>',
      '```ts\nlet a\nlet b\n```',
    ],
    [
      'of Docusaurus',
      '<div class="language-bash codeBlockContainer_Ckt0"><div class="codeBlockContent_QJqH"><pre class="prism-code language-bash"><code><span class="token-line"><span class="codeLineNumber_Tfdd">1</span><span class="codeLineContent_feaV">ls</span><br></span></code></pre><div class="buttonGroup__atx"><button type="button" aria-label="Copy code to clipboard" class="clean-btn"><span></span></button></div></div></div>',
      '```bash\nls\n```',
    ],
    [
      'with a button that says so',
      '<div class="highlight"><pre>ls</pre><button>Copy</button></div><clipboard-copy value="ls">Copy</clipboard-copy>',
      '```\nls\n```',
    ],
  ],
  buttons: [
    ['that fold their texts stay', '<h3><button class="accordion-copy">How?</button></h3><p>So</p>', '### How?\n\nSo'],
  ],
  'tabs of code of': [
    [
      'Docusaurus',
      '<div class="tabs-container"><ul role="tablist" class="tabs"><li role="tab">npm</li><li role="tab">Yarn</li></ul><div class="margin-top--md"><div role="tabpanel"><pre>npm i</pre></div><div role="tabpanel" hidden><pre>yarn add</pre></div></div></div>',
      '**npm**\n\n```\nnpm i\n```\n\n**Yarn**\n\n```\nyarn add\n```',
    ],
    [
      'MkDocs',
      '<div class="tabbed-set"><input checked type="radio"><input type="radio"><div class="tabbed-labels"><label>C</label><label>C++</label></div><div class="tabbed-content"><div class="tabbed-block"><pre>c</pre></div><div class="tabbed-block"><pre>cpp</pre></div></div></div>',
      '**C**\n\n```\nc\n```\n\n**C++**\n\n```\ncpp\n```',
    ],
    [
      'sphinx-design',
      '<div class="sd-tab-set"><input type="radio"><label class="sd-tab-label">A</label><div class="sd-tab-content"><pre>a</pre></div><input type="radio"><label class="sd-tab-label">B</label><div class="sd-tab-content"><pre>b</pre></div></div>',
      '**A**\n\n```\na\n```\n\n**B**\n\n```\nb\n```',
    ],
    [
      'VitePress',
      '<div class="vp-code-group"><div class="tabs"><input type="radio"><label>npm</label><input type="radio"><label>pnpm</label></div><div class="blocks"><div class="language-sh active"><pre>npm i</pre></div><div class="language-sh"><pre>pnpm i</pre></div></div></div>',
      '**npm**\n\n```sh\nnpm i\n```\n\n**pnpm**\n\n```sh\npnpm i\n```',
    ],
  ],
  'folded parts': [
    ['with their summary', '<details><summary>More</summary><p>x</p></details>', '**More**\n\nx'],
    ['with a heading as summary', '<details open><summary><h3>More</h3></summary>x</details>', '### More\n\nx'],
    ['in a list', '<ul><li><details><summary>More</summary>x</details></li></ul>', '- **More**\n\n  x'],
  ],
})
