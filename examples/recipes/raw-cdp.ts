// Drives a session with raw CDP messages over a WebSocket, without a browser library.
import { once } from 'node:events'
import { Bowline } from 'bowline'

const url = process.argv[2] ?? 'https://example.com'

await new Bowline().withSession({ ttl: 60 }, async ({ session }) => {
  const socket = new WebSocket(session.cdpUrl)
  await once(socket, 'open')
  const messages = new EventTarget()
  socket.addEventListener('message', ({ data }) => {
    const { id, method, result } = JSON.parse(String(data)) as { id?: number; method?: string; result: object }
    messages.dispatchEvent(new CustomEvent(id === undefined ? `event ${method}` : `response ${id}`, { detail: result }))
  })
  let lastId = 0
  const send = async <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    const id = ++lastId
    const response = once(messages, `response ${id}`)
    socket.send(JSON.stringify({ id, method, params, sessionId }))
    const [{ detail }] = (await response) as [CustomEvent<Result>]
    return detail
  }

  const { targetInfos } = await send<{ targetInfos: { targetId: string; type: string }[] }>('Target.getTargets')
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId
  const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  await send('Page.enable', {}, sessionId)
  const loaded = once(messages, 'event Page.loadEventFired')
  await send('Page.navigate', { url }, sessionId)
  await loaded
  const title = { expression: 'document.title' }
  const { result } = await send<{ result: { value: string } }>('Runtime.evaluate', title, sessionId)
  console.log(`Title: ${result.value}`)
})
