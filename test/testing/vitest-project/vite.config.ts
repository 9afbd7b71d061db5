import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['bowline-source'] },
  ssr: { resolve: { conditions: ['bowline-source'] } },
  test: { include: ['*.spec.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
