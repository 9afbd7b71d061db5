import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { McpHost } from '../../src/mcp/mcp-host.ts'

test('requests after the thread has ended are served by another one', async () => {
  const posts = vi.spyOn(Worker.prototype, 'postMessage')
  await using host = new McpHost(() => undefined)
  const before = await host.describeTools()
  const [ended] = posts.mock.contexts as Worker[]
  await ended?.terminate()

  const after = await host.describeTools()
  const used = posts.mock.contexts.at(-1)
  posts.mockRestore()

  expect(after).toEqual(before)
  expect(used).not.toBe(ended)
})
