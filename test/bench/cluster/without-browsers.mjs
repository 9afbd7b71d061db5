// Preloaded by the servers of the benchmark `cluster`: browsers are replaced by a delay.
import { registerHooks } from 'node:module'

const delayed = new URL('delayed-browser.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return resolved.url.endsWith('/server/src/browsers/launch.ts') ? { ...resolved, url: delayed } : resolved
  },
})
