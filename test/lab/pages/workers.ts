import { fixedPage, sendScript, type Pages } from './page.ts'

/** A worker, a shared worker and a service worker. Each page shows its result in `output`. */
export const workerPages: Pages = {
  '/worker': fixedPage(
    'Worker',
    `<output></output><script>
       const worker = new Worker('/worker.js', { name: 'counter' })
       worker.onmessage = (event) => { document.querySelector('output').textContent = event.data }
       worker.postMessage(20)
     </script>`,
  ),
  '/worker.js': (exchange) => sendScript(exchange, `onmessage = (event) => postMessage(String(event.data + 1))`),
  '/shared-worker': fixedPage(
    'Shared worker',
    `<output></output><script>
       const worker = new SharedWorker('/shared-worker.js')
       worker.port.onmessage = (event) => { document.querySelector('output').textContent = event.data }
     </script>`,
  ),
  '/shared-worker.js': (exchange) =>
    sendScript(exchange, `onconnect = (event) => event.ports[0].postMessage('connected')`),
  '/service-worker': fixedPage(
    'Service worker',
    `<output></output><script>
       navigator.serviceWorker.register('/service-worker.js')
       navigator.serviceWorker.addEventListener('controllerchange', async () => {
         document.querySelector('output').textContent = await (await fetch('/from-service-worker')).text()
       })
     </script>`,
  ),
  '/service-worker.js': (exchange) =>
    sendScript(
      exchange,
      `addEventListener('install', () => skipWaiting())
       addEventListener('activate', (event) => event.waitUntil(clients.claim()))
       addEventListener('fetch', (event) => {
         if (event.request.url.endsWith('/from-service-worker')) event.respondWith(new Response('served by the worker'))
       })`,
    ),
}
