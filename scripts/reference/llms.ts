import { readFileSync } from 'node:fs'
import { sidebar } from '../../docs/.vitepress/sidebar.ts'
import { page } from './markdown.ts'

/** Pages outside of the site that agents read. */
const others = [
  '- [SKILL.md](SKILL.md): how an agent uses the command line',
  '- [Examples](examples/01-first-session.ts): short programs, one per feature',
]

/** Generates llms.txt: all pages of the site, each with its first sentence. */
export function describeSite(): string {
  return page([
    '# Bowline',
    '> Open-source toolkit and server for remote browser sessions: isolated Chromium over CDP for Playwright and Puppeteer, profiles, live view, recordings, scraping, crawling, search, monitors, MCP. Sessions are deleted and billed however the work ends.',
    'The client is the npm package `bowline`, the server `bowline-server`. The client needs Node.js 22 or newer, the server Node.js 24.',
    ...sidebar.map(({ text, items }) => {
      const links = items.map(
        ({ text: title, link, about }) => `- [${title}](docs${link}.md): ${about ?? firstSentence(`docs${link}.md`)}`,
      )
      return `## ${text}\n\n${links.join('\n')}`
    }),
    `## For agents\n\n${others.join('\n')}`,
  ])
}

/** Reads the first sentence below the title of a page, without its full stop. */
function firstSentence(path: string): string {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const paragraph = /^# .*\n+(?:#+ .*\n+)*(?!```)(.*)$/m.exec(text)?.[1] ?? ''
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const sentence = /^.*?[.](?=\s|$)/.exec(plain)?.[0] ?? plain
  return sentence.replace(/[.:]$/, '')
}
