/** TypeScript that creates a client of this server. */
export function newClient(): string {
  return `import { Bowline } from 'bowline'

// Set BOWLINE_BASE_URL=${location.origin} and BOWLINE_API_KEY.
const bowline = new Bowline()`
}
