import { describe, expect, test } from 'vitest'
import { parseRobots } from '../../src/map/robots.ts'

function allows(text: string, path: string): boolean {
  return parseRobots(text, 'Bowline').allows(new URL(path, 'https://a.example/'))
}

describe('a robots.txt', () => {
  test('names sitemaps in any position, including URLs with #', () => {
    const text =
      'Sitemap: https://a.example/1.xml # all pages\nUser-agent: *\nDisallow: /x # no\nsitemap:https://a.example/2.xml#part\r\n'

    expect(parseRobots(text, 'Bowline').sitemaps).toEqual(['https://a.example/1.xml', 'https://a.example/2.xml#part'])
  })

  test.each([
    ['an empty file disallows nothing', '', '/x', true],
    ['an empty Disallow disallows nothing', 'User-agent: *\nDisallow:', '/x', true],
    ['a path disallows URLs that start with it', 'User-agent: *\nDisallow: /private', '/private/x', false],
    ['the longest pattern wins', 'User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['of equal patterns, Allow wins', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
    ['our own group wins over *', 'User-agent: *\nDisallow: /\nUser-agent: bowline\nDisallow: /x', '/y', true],
    ['agents share a group', 'User-agent: other\nUser-agent: BOWLINE\nDisallow: /x', '/x', false],
    [
      'groups of one agent add up',
      'User-agent: *\nDisallow: /x\nUser-agent: o\nDisallow: /z\nUser-agent: *\nDisallow: /y',
      '/y',
      false,
    ],
    ['a star matches any text', 'User-agent: *\nDisallow: /*.pdf', '/a/b.pdf?x', false],
    ['a dollar matches the end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf?x', true],
    ['a dollar after a star', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf/b.pdf', false],
    ['a star before the end', 'User-agent: *\nDisallow: /a*$', '/abc', false],
    ['a whole path', 'User-agent: *\nDisallow: /a$', '/ab', true],
    ['parts do not overlap', 'User-agent: *\nDisallow: /ab*ba$', '/aba', true],
    ['a byte order mark', '\ufeffUser-agent: *\nDisallow: /x', '/x', false],
    ['CRLF and lone CR', 'User-agent: *\r\nDisallow: /x\rDisallow: /y', '/y', false],
    ['odd case and spaces', '  USER-AGENT : *\n\tdisALLOW\t:\t/x  ', '/x', false],
    ['paths are case-sensitive', 'User-agent: *\nDisallow: /X', '/x', true],
    ['a comment after a rule', 'User-agent: * # all\nDisallow: /x # no', '/x', false],
    ['a rule that is commented out', 'User-agent: *\n# Disallow: /x', '/x', true],
    ['a rule before any agent', 'Disallow: /\nUser-agent: other\nDisallow: /', '/x', true],
    ['a line without a colon', 'User-agent: *\nDisallow /x', '/x', true],
    ['unknown lines do not end a group', 'User-agent: *\nCrawl-delay: 5\nDisallow: /x', '/x', false],
    ['an agent with a version', 'User-agent: Bowline/2.1\nDisallow: /x', '/x', false],
    ['an agent whose name only starts the same', 'User-agent: bowlinebot\nDisallow: /x', '/x', true],
    ['a page of HTML', '<!doctype html><title>Not found</title>', '/x', true],
    ['a path in Unicode', 'User-agent: *\nDisallow: /straße', '/stra%C3%9Fe', false],
    ['an encoded path', 'User-agent: *\nDisallow: /stra%c3%9fe', '/straße', false],
    ['an encoded letter', 'User-agent: *\nDisallow: /%61bc', '/abc', false],
    ['an encoded letter in the URL', 'User-agent: *\nDisallow: /abc', '/%61%62c', false],
    ['an encoded slash is not a slash', 'User-agent: *\nDisallow: /a/b', '/a%2Fb', true],
    ['an encoded star is a character', 'User-agent: *\nDisallow: /a%2Ab', '/axb', true],
    ['an encoded star matches itself', 'User-agent: *\nDisallow: /a%2Ab', '/a*b', false],
    ['an encoded dollar at the end', 'User-agent: *\nDisallow: /a%24', '/a$b', false],
    ['broken percent-encoding', 'User-agent: *\nDisallow: /100%', '/100%', false],
    ['a query', 'User-agent: *\nDisallow: /*?id=', '/x?id=1', false],
    ['an empty path of a rule', 'User-agent: *\nDisallow: *', '/x', false],
    ['a single dollar', 'User-agent: *\nDisallow: $', '/x', true],
    ['a dollar in the middle', 'User-agent: *\nDisallow: /a$b', '/a$b', false],
    ['an overlong rule', `User-agent: *\nDisallow: /${'x'.repeat(3000)}\nDisallow: /y`, '/y', false],
  ])('%s', (_what, text, path, expected) => {
    expect(allows(text, path)).toBe(expected)
  })

  test('cannot slow down parsing with many sitemaps', () => {
    const text = `${'User-agent: *\n'.repeat(18_000)}${'Disallow: /x\n'.repeat(20_000)}`
    const before = process.cpuUsage()

    expect(allows(text, '/x')).toBe(false)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1.5)
  })

  test('cannot slow down parsing with a name of an agent that has many spaces', () => {
    const text = `User-agent: a${' '.repeat(500_000)}b\nDisallow: /x\nUser-agent: bowline  / 2.1\nDisallow: /y`
    const before = process.cpuUsage()

    expect(allows(text, '/y')).toBe(false)

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.5)
  })

  test('cannot slow down matching', () => {
    const text = `User-agent: *\n${Array.from({ length: 20_000 }, (_, index) => `Disallow: /*a*a*a*a*a*a*${index}$`).join('\n')}`
    const robots = parseRobots(text, 'Bowline')
    const startedMs = performance.now()

    expect(robots.allows(new URL(`https://a.example/${'a'.repeat(8000)}`))).toBe(true)

    expect(performance.now() - startedMs).toBeLessThan(500)
  })

  test.each([
    ['one star and a text that nearly occurs', `Disallow: *${'a'.repeat(40)}b`],
    ['dozens of stars', `Disallow: /${'*a'.repeat(45)}*zz`],
  ])('cannot slow down matching with thousands of rules of %s', (_, rule) => {
    const robots = parseRobots(`User-agent: *\n${`${rule}\n`.repeat(5000)}`, 'Bowline')
    const before = process.cpuUsage()

    for (let index = 0; index < 10; index += 1) robots.allows(new URL(`https://a.example/${'a'.repeat(2000)}${index}`))

    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.8)
  })
})
