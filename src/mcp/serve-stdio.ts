import type { Bowline } from '../client/bowline.ts'
import { AgentBrowser } from './browser/agent-browser.ts'
import { createToolServer } from './create-tool-server.ts'
import { loadChromium, loadMcpSdk, loadMcpStdio } from './load-packages.ts'
import { resolveToolOptions, type McpOptions } from './tool-options.ts'

/**
 * Serves MCP on standard input and output, for one client. Resolves when the client has closed the
 * connection and its session has ended.
 *
 * Throws PACKAGE_MISSING if one of the optional packages is not installed.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { serveMcpStdio } from 'bowline/mcp'
 *
 * await using bowline = new Bowline()
 * await serveMcpStdio(bowline, { allowedDomains: ['example.com'] })
 * ```
 */
export async function serveMcpStdio(bowline: Bowline, mcpOptions: McpOptions = {}): Promise<void> {
  const options = resolveToolOptions(mcpOptions)
  const [sdk, stdio] = await Promise.all([loadMcpSdk(), loadMcpStdio(), loadChromium()])
  await using browser = new AgentBrowser({ bowline, session: options.session })
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
  const handle = stdio.serveStdio(() => {
    return createToolServer({ sdk, bowline, options, hasHandles: false, browserOf: () => ({ browser }) })
  })
  // The transport closes itself at the end of the input, without telling its owner.
  process.stdin.once('end', onClose).once('close', onClose)
  await closed
  await handle.close()
}
