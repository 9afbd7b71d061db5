import { document } from 'bowline/contract/document'
import { describe, expect, test } from 'vitest'
import { extractImages, extractLinks } from '../../../src/scrape/parse/links.ts'
import { extractMetadata } from '../../../src/scrape/parse/metadata.ts'
import { parsePage } from '../../../src/scrape/parse/parsed-page.ts'

const url = 'https://site.example/a/page'

describe('metadata', () => {
  test('contains the title, description and language of the page', () => {
    const html = `<html lang="de"><head><title> A
      title </title><meta name="description" content="D"><meta name="keywords" content="a, b"><meta name="robots" content="noindex">
      <link rel="shortcut icon" href="/i.ico"></head>`

    expect(extractMetadata(parsePage(html, url))).toEqual({
      title: 'A title',
      language: 'de',
      description: 'D',
      keywords: 'a, b',
      robots: 'noindex',
      favicon: 'https://site.example/i.ico',
    })
  })

  test('has the fields of Open Graph under both of their names', () => {
    const html =
      '<meta property="og:title" content="T"><meta property="og:image" content="/i.png"><meta property="og:site_name" content="S">'

    expect(extractMetadata(parsePage(html, url))).toMatchObject({
      ogTitle: 'T',
      'og:title': 'T',
      ogImage: 'https://site.example/i.png',
      ogSiteName: 'S',
    })
  })

  test('collects repeated tags', () => {
    const html = `<meta property="og:locale:alternate" content="fr"><meta property="og:locale:alternate" content="es">
      <meta property="article:tag" content="x"><meta property="article:tag" content="y"><meta name="author" content="A"><meta name="author" content="B">`

    expect(extractMetadata(parsePage(html, url))).toMatchObject({
      ogLocaleAlternate: ['fr', 'es'],
      articleTag: ['x', 'y'],
      author: ['A', 'B'],
    })
  })

  test('has dates, section and Dublin Core', () => {
    const html = `<meta property="article:published_time" content="2026-01-02"><meta property="article:modified_time" content="2026-01-03">
      <meta property="article:section" content="S"><meta name="DC.date.created" content="2025"><meta name="dcterms.subject" content="Q">`

    expect(extractMetadata(parsePage(html, url))).toMatchObject({
      publishedTime: '2026-01-02',
      modifiedTime: '2026-01-03',
      articleSection: 'S',
      dcDateCreated: '2025',
      dcTermsSubject: 'Q',
    })
  })

  test('defaults to the usual icon, and omits missing fields', () => {
    expect(extractMetadata(parsePage('<p>x', url))).toEqual({ favicon: 'https://site.example/favicon.ico' })
  })

  test('omits the names of metadata that the server adds, and keeps the first language', () => {
    const added = Object.keys(document.shape.metadata.shape).filter((name) => !/^(?:title|description)$/.test(name))
    const names = [...added, 'code', 'numPages', 'concurrencyQueueDurationMs', 'cachestate']
    const html = names.map((name) => `<meta name="${name}" content="x"><meta property="${name}" content="y">`).join('')

    expect(extractMetadata(parsePage(`<html lang="en"><meta name="language" content="English">${html}`, url))).toEqual({
      language: 'en',
      favicon: 'https://site.example/favicon.ico',
      cachestate: ['x', 'y'],
    })
  })

  test('ignores names inherited from Object', () => {
    const metadata = extractMetadata(
      parsePage('<meta name="__proto__" content="x"><meta name="constructor" content="y">', url),
    )

    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
    expect(Object.hasOwn(metadata, 'constructor')).toBe(true)
  })
})

describe('links', () => {
  test('are absolute, each once, without scripts and links within the page', () => {
    const html =
      '<base href="/b/"><a href="x">1</a><a href="/b/x">2</a><a href="#top">3</a><a href="javascript:f()">4</a><map><area href="//cdn.example/y"></map><a>5</a>'

    expect(extractLinks(parsePage(html, url))).toEqual(['https://site.example/b/x', 'https://cdn.example/y'])
  })
})

describe('images', () => {
  test('are collected from elements, sources, posters, styles and previews', () => {
    const html = `<head><meta property="og:image" content="/og.png"><link rel="icon" href="/i.ico"></head>
      <img data-src="lazy.jpg" src="data:image/gif;base64,A"><picture><source srcset="s.webp 1x, l.webp 2x"><img src="s.jpg"></picture>
      <video poster="/p.jpg"></video><div style="background-image: url('/bg.png')"></div>`

    expect(extractImages(parsePage(html, url))).toEqual([
      'https://site.example/og.png',
      'https://site.example/i.ico',
      'https://site.example/a/lazy.jpg',
      'https://site.example/a/l.webp',
      'https://site.example/a/s.jpg',
      'https://site.example/p.jpg',
      'https://site.example/bg.png',
    ])
  })
})
