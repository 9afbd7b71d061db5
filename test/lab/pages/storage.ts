import { fixedPage, sendHtml, sendJson, type Pages } from './page.ts'

const storageScript = `
  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open('lab', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('values')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const settle = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const values = async (mode) => (await open()).transaction('values', mode).objectStore('values')
  window.remember = async (value) => {
    localStorage.setItem('value', value)
    await settle((await values('readwrite')).put(value, 'value'))
  }
  window.recall = async () => ({
    localStorage: localStorage.getItem('value'),
    indexedDB: (await settle((await values('readonly')).get('value'))) ?? null,
    cookies: document.cookie,
  })`

/**
 * Persistent and session cookies, and a page with `remember(value)` and `recall()` for web storage.
 */
export const storagePages: Pages = {
  '/storage': fixedPage('Storage', `<h1>Storage</h1><script>${storageScript}</script>`),
  '/cookies/set': (exchange) => {
    const { searchParams } = exchange.url
    const name = searchParams.get('name') ?? 'cookie'
    const maxAge = searchParams.get('maxAge')
    const lifetime = maxAge === null ? '' : `; Max-Age=${maxAge}`
    const httpOnly = searchParams.has('httpOnly') ? '; HttpOnly' : ''
    exchange.response.setHeader(
      'set-cookie',
      `${name}=${searchParams.get('value') ?? 'set'}; Path=/${lifetime}${httpOnly}`,
    )
    sendHtml(exchange, 'Cookie set', '<h1>Cookie set</h1>')
  },
  '/cookies': (exchange) => {
    const pairs = (exchange.request.headers.cookie ?? '').split('; ').filter((pair) => pair !== '')
    sendJson(exchange, Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)])))
  },
}
