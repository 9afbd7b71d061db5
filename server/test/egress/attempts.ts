/** Scripts by which a page requests an address. Each returns when the attempt has ended. */
export const attempts = {
  fetch: (url: string) => `fetch(${q(url)}, { mode: 'no-cors' }).catch(() => {})`,
  XMLHttpRequest: (url: string) => `new Promise((done) => {
    const request = new XMLHttpRequest(); request.onloadend = done; request.open('POST', ${q(url)}); request.send('x') })`,
  'an image': (url: string) => `new Promise((done) => {
    const image = new Image(); image.onload = image.onerror = done; image.src = ${q(url)} })`,
  'a script': (url: string) => element('script', 'src', url),
  'a style sheet': (url: string) => element('link', 'href', url, `element.rel = 'stylesheet'`),
  'a prefetch': (url: string) => element('link', 'href', url, `element.rel = 'prefetch'`),
  'an event source': (url: string) => `new Promise((done) => {
    const source = new EventSource(${q(url)}); source.onopen = source.onerror = () => { source.close(); done() } })`,
  'a WebSocket': (url: string) => `new Promise((done) => {
    const socket = new WebSocket(${q(url.replace('http', 'ws'))}); socket.onopen = socket.onclose = socket.onerror = done })`,
  'a worker': (url: string) => `new Promise((done) => {
    const source = 'fetch("${url}", { mode: "no-cors" }).catch(() => {}).then(() => postMessage(1))'
    new Worker(URL.createObjectURL(new Blob([source]))).onmessage = done })`,
  'a service worker': (url: string) => `navigator.serviceWorker.register('/reach.js').then(() =>
    navigator.serviceWorker.ready).then(({ active }) => new Promise((done) => {
      navigator.serviceWorker.onmessage = done; active.postMessage(${q(url)}) }))`,
  'a redirect of fetch': (url: string) =>
    `fetch('/redirect?to=' + encodeURIComponent(${q(url)}), { mode: 'no-cors' }).catch(() => {})`,
  'a TURN server': (url: string) => `new Promise((done) => {
    const urls = ${q(`turn:${new URL(url).host}?transport=tcp`)}
    const peer = new RTCPeerConnection({ iceServers: [{ urls, username: 'u', credential: 'p' }] })
    peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done() }
    peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); setTimeout(done, 3000) })`,
}

/** Quotes a text for a script. */
export function q(text: string): string {
  return JSON.stringify(text)
}

function element(name: string, attribute: string, url: string, more = ''): string {
  return `new Promise((done) => {
  const element = document.createElement('${name}'); ${more}; element.onload = element.onerror = done
  element.${attribute} = ${q(url)}; document.head.append(element) })`
}

/** Source of the service worker `/reach.js`, which requests the URLs that pages send it. */
export const reachWorker = `addEventListener('install', () => skipWaiting())
  addEventListener('message', (event) =>
    event.waitUntil(fetch(event.data, { mode: 'no-cors' }).catch(() => {}).then(() => event.source.postMessage(1))))`
