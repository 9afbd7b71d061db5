import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type MarkdownRenderer } from 'vitepress'
import { linkToSite } from './link-to-site.ts'
import { boostDocument, boostTerm, tokenize } from './search.ts'
import { sidebar } from './sidebar.ts'

const docs = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(docs, '../package.json'), 'utf8')) as { version: string }

/** Files outside of `docs/`, such as examples, are part of the package of the server. */
const filesUrl = `https://unpkg.com/bowline-server@${version}/`

/** Long lines of programs are wrapped, so that none is cut, and wide pages use the room of the outline. */
const style = `
.vp-doc div[class*='language-']:not(.language-text) code { width: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.wide .VPDoc .container, .wide .VPDoc .content, .wide .VPDoc .content-container { max-width: none !important; }
.wide .vp-doc table { font-size: 13px; }
.wide .vp-doc td, .wide .vp-doc th { padding: 6px 8px; }
`

const pages = sidebar.flatMap(({ items }) => items)

/** Highlights each block of code once. Pages are rendered for the server, for browsers and for the search. */
function highlightOnce({ options }: MarkdownRenderer): void {
  const { highlight } = options
  const highlighted = new Map<string, string>()
  options.highlight = (code, language, attributes) => {
    const key = JSON.stringify([code, language, attributes])
    const html = highlighted.get(key) ?? highlight?.(code, language, attributes) ?? ''
    highlighted.set(key, html)
    return html
  }
}

export default defineConfig({
  title: 'Bowline',
  description: 'Remote browser sessions that always end and are always billed',
  lang: 'en',
  cleanUrls: true,
  lastUpdated: false,
  head: [['style', {}, style]],
  transformPageData: ({ relativePath, frontmatter, description }) => {
    const about = pages.find(({ link }) => `${link.slice(1)}.md` === relativePath)?.about ?? description
    const isWide = relativePath === 'comparison.md'
    return {
      description: about,
      frontmatter: isWide ? { ...frontmatter, aside: false, pageClass: 'wide' } : frontmatter,
    }
  },
  // The search index and the longest pages of the reference.
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  // For programs that read the site.
  buildEnd: async ({ outDir }) =>
    writeFile(join(outDir, 'llms.txt'), linkToSite(readFileSync(join(docs, '../llms.txt'), 'utf8'), filesUrl)),
  markdown: {
    // Headings such as `GET /v2/browser/{id}` have no attributes.
    attrs: { disable: true },
    // Shiki has no grammar for it.
    languages: [{ name: 'promql', scopeName: 'source.promql', patterns: [], repository: {} }],
    config: (markdown) => {
      highlightOnce(markdown)
      markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
        const folder = dirname(join(docs, (env as { relativePath: string }).relativePath))
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href')
          if (token.type !== 'link_open' || href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue
          // The changelog is included from the folder above.
          if (href.startsWith('docs/')) token.attrSet('href', href.slice('docs/'.length))
          const path = relative(resolve(docs, '..'), resolve(folder, href))
          if (!path.startsWith('docs')) token.attrSet('href', `${filesUrl}${path}`)
        }
      })
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/start' },
      { text: 'Run a server', link: '/running/install' },
      { text: 'Reference', link: '/reference/client' },
    ],
    sidebar: sidebar.map(({ text, items }) => ({ text, items: [...items] })),
    search: {
      provider: 'local',
      options: { miniSearch: { options: { tokenize }, searchOptions: { boostDocument, boostTerm } } },
    },
    outline: [2, 3],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
