// Takes the screenshots of the documentation. Run it after a page has changed:
// `node scripts/pictures.mjs [NAME…]`. Needs pngquant, since the package of the server has them all.
import { execFileSync } from 'node:child_process'
import { takeDashboard } from './pictures/dashboard.mjs'
import { takeLiveView } from './pictures/live-view.mjs'
import { takeMonitor } from './pictures/monitor.mjs'
import { takePlayer } from './pictures/player.mjs'

const pictures = { 'live-view': takeLiveView, dashboard: takeDashboard, monitor: takeMonitor, player: takePlayer }

const names = process.argv.slice(2)
for (const [name, take] of Object.entries(pictures)) {
  if (names.length > 0 && !names.includes(name)) continue
  await take()
  const picture = `docs/${name}.png`
  execFileSync('pngquant', ['--force', '--strip', '--quality', '70-95', '--output', picture, picture])
  console.log(picture)
}
