/**
 * Reads the styles of the visible elements of a page, as JSON. Runs in the page. Colors are
 * `#RRGGBB`, whatever notation the page uses; transparent ones are left out.
 */
export const readStyles = `() => {
  const maxElements = 3000
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const known = new Map()
  const toHex = (color) => {
    if (known.has(color)) return known.get(color)
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = '#000'
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
    const hex = alpha < 128 ? undefined : '#' + [red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('').toUpperCase()
    known.set(color, hex)
    return hex
  }
  const sums = { backgrounds: {}, texts: {}, links: {}, families: {}, headingFamilies: {}, radii: {}, paddings: {} }
  const add = (name, key, weight) => {
    if (key !== undefined && key !== '' && weight > 0) sums[name][key] = (sums[name][key] ?? 0) + weight
  }
  const samples = {}
  const buttons = []
  let input, logo, count = 0
  const ownText = (element) => [...element.childNodes].reduce((sum, { nodeType, data }) => sum + (nodeType === 3 ? data.trim().length : 0), 0)
  for (const element of document.querySelectorAll('body, body *')) {
    if (++count > maxElements) break
    const style = getComputedStyle(element)
    const { width, height, top } = element.getBoundingClientRect()
    if (width * height === 0 || style.visibility === 'hidden' || style.display === 'none') continue
    const name = element.localName
    const isButton = name === 'button' || element.getAttribute('role') === 'button' || /(?:^|[-_ ])(?:btn|button)/i.test(element.getAttribute('class') ?? '') && name === 'a' || name === 'input' && /^(?:submit|button)$/.test(element.type)
    const background = toHex(style.backgroundColor)
    const radius = style.borderTopLeftRadius
    if (isButton) {
      if (buttons.length < 50) buttons.push({ background, textColor: toHex(style.color), borderRadius: radius, weight: Math.min(width * height, 20000), border: parseFloat(style.borderTopWidth) > 0 })
    } else add('backgrounds', background, width * height)
    const letters = ownText(element)
    add('texts', toHex(style.color), letters)
    if (name === 'a' && letters > 0 && !isButton) add('links', toHex(style.color), letters)
    const heading = /^h[1-6]$/.test(name)
    // Buttons have a font of the browser, unless a page sets theirs.
    if (!isButton) add(heading ? 'headingFamilies' : 'families', style.fontFamily, letters)
    const sample = heading ? name : name === 'p' || name === 'li' ? 'body' : undefined
    if (sample !== undefined && letters > 0) samples[sample] ??= { size: style.fontSize, lineHeight: style.lineHeight, weight: Number(style.fontWeight) }
    if (radius !== '0px' && (isButton || name === 'input' || background !== undefined)) add('radii', radius, 1)
    for (const padding of [style.paddingTop, style.paddingLeft]) if (padding !== '0px') add('paddings', padding, 1)
    if (name === 'input' && !isButton && !/^(?:hidden|checkbox|radio|range|file)$/.test(element.type)) input ??= { borderColor: toHex(style.borderTopColor), borderRadius: radius }
    const names = [element.id, element.getAttribute('class'), element.getAttribute('alt'), element.getAttribute('src')].join(' ')
    if (name === 'img' && top < 400 && /logo|brand/i.test(names)) logo ??= element.currentSrc || element.src
  }
  samples.body ??= (({ fontSize, lineHeight, fontWeight }) => ({ size: fontSize, lineHeight, weight: Number(fontWeight) }))(getComputedStyle(document.body ?? document.documentElement))
  const meta = (name) => document.querySelector('meta[property="' + name + '"], meta[name="' + name + '"]')?.content
  const href = (selector) => document.querySelector(selector)?.href
  const strongest = (sum) => Object.entries(sum).sort(([, left], [, right]) => right - left).slice(0, 20)
  return JSON.stringify({
    ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, strongest(sum)])),
    samples, buttons, input, logo,
    brandName: meta('og:site_name') ?? meta('application-name'),
    ogImage: meta('og:image'),
    favicon: href('link[rel~="icon"]'),
    touchIcon: href('link[rel="apple-touch-icon"]'),
  })
}`
