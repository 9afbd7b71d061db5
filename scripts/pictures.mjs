// Takes the screenshots of the documentation. Run it after a page has changed:
// `node scripts/pictures.mjs [--to FOLDER] [NAME…]`. `--list` prints the names. Without a folder, it replaces those in `docs`,
// which needs pngquant, since the package of the server has them all.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { takeDashboard } from './pictures/dashboard.mjs'
import { takeLiveView } from './pictures/live-view.mjs'
import { takeMonitor } from './pictures/monitor.mjs'
import { takePlayer } from './pictures/player.mjs'

const pictures = { 'live-view': takeLiveView, dashboard: takeDashboard, monitor: takeMonitor, player: takePlayer }

const { values, positionals: names } = parseArgs({
  options: { to: { type: 'string' }, list: { type: 'boolean' } },
  allowPositionals: true,
})
if (values.list === true) {
  console.log(Object.keys(pictures).join('\n'))
  process.exit()
}
const unknown = names.filter((name) => !(name in pictures))
if (unknown.length > 0) throw new Error(`No picture is named ${unknown.join(', ')}`)
for (const [name, take] of Object.entries(pictures)) {
  if (names.length > 0 && !names.includes(name)) continue
  const picture = join(values.to ?? 'docs', `${name}.png`)
  await take(picture)
  if (values.to === undefined) {
    execFileSync('pngquant', ['--force', '--strip', '--quality', '70-95', '--output', picture, picture])
  }
  console.log(picture)
}
