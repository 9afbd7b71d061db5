function page(title, style, body) {
  return `<!doctype html><html lang="en"><title>${title}</title><style>
  * { box-sizing: border-box }
  body { margin: 0; font: 20px/1.5 'Liberation Sans', sans-serif }
  ${style}</style><body>${body}</body></html>`
}

const bars = [38, 52, 47, 66, 81, 74, 92, 88, 70, 58, 63, 77]

const tides = page(
  'Tide tables',
  `body { background: #e3f0ec; color: #12352d; padding: 48px 64px } h1 { margin: 0 0 12px; font-size: 44px }
   svg { width: 100%; height: 300px } td { padding: 6px 36px 6px 0; font-size: 24px }`,
  `<h1>Tides at the old pier</h1><svg viewBox="0 0 900 300" fill="none" stroke="#1b7a62" stroke-width="7">
   <path d="M0 150C75 0 150 0 225 150S375 300 450 150 600 0 675 150 825 300 900 150"/></svg>
   <table><tr><td>High water<td><b>02:06</b><td>14:20<tr><td>Low water<td><b>08:12</b><td>20:31</table>`,
)

const shop = page(
  'Chandlery: ropes',
  `body { background: #fbf7f0; color: #2c2417 } header { background: #6b4a1f; color: #fff; padding: 22px 40px; font-size: 30px }
   main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; padding: 32px 40px }
   article { background: #fff; padding: 18px; box-shadow: 0 2px 8px #0002 } i { display: block; height: 190px; margin-bottom: 14px;
   background: repeating-linear-gradient(35deg, var(--a) 0 14px, var(--b) 14px 28px) }`,
  `<header>Chandlery</header><main>${['Manila, 12 mm', 'Hemp, 8 mm', 'Dyneema, 6 mm']
    .map((name, index) => {
      const colours = ['#c58b3b,#a8722a', '#8b9a5b,#73824a', '#4f88a8,#3b6f8c'][index].split(',')
      return `<article style="--a:${colours[0]};--b:${colours[1]}"><i></i><b>${name}</b><br>${[14, 9, 31][index]} guilders</article>`
    })
    .join('')}</main>`,
)

const counts = page(
  'Boats by month',
  `body { background: #101b2b; color: #dfe9f5; padding: 44px 60px } h1 { margin: 0 0 30px; font-size: 40px }
   div { display: flex; align-items: end; gap: 18px; height: 400px } i { flex: 1; background: #e3a955; border-radius: 8px 8px 0 0 }`,
  `<h1>Boats by month</h1><div>${bars.map((height) => `<i style="height:${height}%"></i>`).join('')}</div>`,
)

const log = page(
  'Harbour log',
  `body { background: #fff; color: #1d2b33; padding: 44px 60px } h1 { margin: 0 0 18px; font-size: 40px }
   p { margin: 0; padding: 12px 0; border-bottom: 1px solid #d8e0e4 } b { display: inline-block; width: 110px; color: #0d6a8a }`,
  `<h1>Harbour log</h1>${[
    ['05:40', 'Fram, 12 m, berthed at the old pier'],
    ['06:15', 'Ferry to the mole delayed by fog'],
    ['07:02', 'Gjøa, 21 m, asks for a berth until Sunday'],
    ['08:30', 'Pilot boat out, back at noon'],
    ['09:05', 'Water at the quay tested: clear'],
    ['10:20', 'Maud, 9 m, left for the islands'],
  ]
    .map(([time, text]) => `<p><b>${time}</b>${text}</p>`)
    .join('')}`,
)

const form = page(
  'Customs: declare cargo',
  `body { background: #eef0f7; display: grid; align-items: center; justify-items: center; min-height: 100vh } form { width: 620px; padding: 40px;
   background: #fff; border-radius: 14px; box-shadow: 0 8px 30px #0002; display: grid; gap: 18px } h1 { margin: 0; font-size: 34px }
   span { height: 52px; border: 2px solid #c6cbdc; border-radius: 8px; padding: 9px 16px } em { background: #4250a8; color: #fff;
   border-radius: 8px; padding: 12px; text-align: center; font-style: normal }`,
  '<form><h1>Declare cargo</h1>Vessel<span>Gjøa</span>Goods<span>Herring, 40 barrels</span><em>Send</em></form>',
)

/** Pages of the sessions on the dashboard screenshot, in addition to the demo site. */
export const wallPages = [
  { html: tides },
  { html: counts },
  { html: shop, profile: 'chandlery' },
  { html: log },
  { html: form },
]
