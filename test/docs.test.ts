import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { linkToSite } from '../docs/.vitepress/link-to-site.ts'
import { tokenize } from '../docs/.vitepress/search.ts'
import { sidebar } from '../docs/.vitepress/sidebar.ts'
import { repository } from './lab/source-tree.ts'
import { temporaryFolder } from './lab/stores.ts'

const pages = globSync('{README,CONTRIBUTING,server/README,docs/**/*}.md', { cwd: repository }).toSorted()

function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

/** The ids that GitHub and VitePress give to the headings of a page. */
function anchorsOf(path: string): readonly string[] {
  return [...withoutCode(readText(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function brokenLinks(page: string): readonly string[] {
  const targets = [...withoutCode(readText(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target) || page === 'docs/changelog.md') return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : relative(repository, join(repository, dirname(page), path))
    if (!existsSync(join(repository, file))) return true
    return anchor !== undefined && !anchorsOf(file).includes(anchor)
  })
}

test('links of the documentation lead to files and headings', () => {
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.flatMap((page) => brokenLinks(page).map((target) => `${page}: ${target}`))).toEqual([])
})

test('the sidebar of the site has every page once', () => {
  const inSidebar = sidebar.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`))
  const onSite = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md')

  expect(inSidebar.toSorted()).toEqual(onSite)
})

test('the links of llms.txt on the site lead to its pages, and to files of the package', () => {
  const text = linkToSite(readText('llms.txt'), 'https://files.example/')

  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  const sitePages = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => link.slice(1))))
  expect(links).toEqual(expect.arrayContaining(['guide/start', 'reference/http']))
  expect(links.filter((link) => !link.startsWith('https://') && !sitePages.has(link))).toEqual([])
  expect(links).toContain('https://files.example/SKILL.md')
})

test('a paragraph has at most four sentences', () => {
  const written = pages.filter((page) => !/^docs\/(?:reference\/|changelog)/.test(page))
  const paragraphs = written.flatMap((page) =>
    withoutCode(readText(page))
      .split(/\n\s*\n|\n(?=\s*(?:[-#|]|\d+\.) )/)
      .map((text) => `${page}: ${text}`),
  )
  const sentences = (text: string) => text.replaceAll(/`[^`]*`/g, 'x').match(/[.!?](?=\s+[A-Z`*[]|\s*$)/g) ?? []

  expect(paragraphs.filter((text) => !/^\S+ \s*\|/.test(text) && sentences(text).length > 4)).toEqual([])
})

test('every guide starts with something to run or see, and ends with what can go wrong', () => {
  const guides = pages.filter((page) => page.startsWith('docs/guide/') || page === 'docs/mcp.md')
  const lacking = (pattern: RegExp) => guides.filter((page) => !pattern.test(readText(page)))

  expect(lacking(/^(?:```|!\[|\|)/m)).toEqual([])
  expect(lacking(/^###? What can go wrong$/m)).toEqual([])
})

test('the search of the site has names with underscores and their parts as words', () => {
  expect(tokenize('PROFILE_LOCKED: retry.')).toEqual(expect.arrayContaining(['PROFILE_LOCKED', 'PROFILE', 'LOCKED']))
  expect(tokenize('_italic_ text')).not.toContain('_italic_')
})

test('the site builds', async () => {
  await using folder = await temporaryFolder()
  const vitepress = join(repository, 'node_modules/vitepress/bin/vitepress.js')

  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [vitepress, 'build', 'docs', '--outDir', folder.path],
    { cwd: repository },
  )

  expect(readFileSync(join(folder.path, 'guide/sessions.html'), 'utf8')).toContain('withSession')
  const [index = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: folder.path })
  expect(readFileSync(join(folder.path, index), 'utf8')).toContain('profile_locked')
  expect(`${stdout}${stderr}`).not.toMatch(/not loaded|chunks are larger/)
})
