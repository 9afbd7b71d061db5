import { describe, expect, test } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.ts'

/** HTML and the Markdown that is written for it. */
export type Case = readonly [title: string, html: string, markdown: string]

/** URL of the page that contains the HTML. */
export const url = 'https://site.example/docs/page.html'

/** Adds a test for each case, in groups. */
export function testCases(cases: Readonly<Record<string, readonly Case[]>>): void {
  for (const [group, members] of Object.entries(cases)) {
    describe(group, () => {
      test.each(members)('%s', (_title, html, markdown) => {
        expect(htmlToMarkdown(html, url).trimEnd()).toBe(markdown)
      })
    })
  }
}
