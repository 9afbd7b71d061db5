import type { Branding } from 'bowline/contract/branding'
import { z } from 'zod'
import { resolveUrl } from '../parse/resolve-url.ts'

const text = z.string().max(2000)
const hex = z.string().regex(/^#[0-9A-F]{6}$/)
const sums = z.array(z.tuple([text, z.number()])).max(20)
const sample = z.object({ size: text, lineHeight: text, weight: z.number() })
const button = z.object({
  background: hex.optional(),
  textColor: hex.optional(),
  borderRadius: text,
  weight: z.number(),
  border: z.boolean(),
})

/** Styles of a page. Untrusted, because scripts of the page can change them. */
export const pageStyles = z.object({
  /** Colors with the area that they cover. */
  backgrounds: sums,
  /** Colors and fonts with the number of their letters. */
  texts: sums,
  links: sums,
  families: sums,
  headingFamilies: sums,
  /** CSS lengths with the number of elements. */
  radii: sums,
  paddings: sums,
  samples: z.record(text, sample),
  buttons: z.array(button).max(50),
  input: z.object({ borderColor: hex.optional(), borderRadius: text }).optional(),
  logo: text.optional(),
  brandName: text.optional(),
  ogImage: text.optional(),
  favicon: text.optional(),
  touchIcon: text.optional(),
})

export type PageStyles = z.output<typeof pageStyles>

/** Describes the look of a page by its most frequent styles. */
export function describeBranding(styles: PageStyles, url: string): Branding {
  const colors = colorsOf(styles)
  const images = imagesOf(styles, url)
  const [primary, secondary] = buttonsOf(styles)
  return {
    colorScheme: lightness(colors.background) < 0.5 ? 'dark' : 'light',
    ...(styles.brandName !== undefined && { brandName: styles.brandName }),
    ...(images.logo !== undefined && { logo: images.logo }),
    fonts: fontsOf(styles).map((family) => ({ family })),
    colors,
    typography: typographyOf(styles),
    spacing: spacingOf(styles),
    components: {
      ...(primary !== undefined && { buttonPrimary: primary }),
      ...(secondary !== undefined && { buttonSecondary: secondary }),
      ...(styles.input?.borderColor !== undefined && {
        input: { borderColor: styles.input.borderColor, borderRadius: styles.input.borderRadius },
      }),
    },
    images,
  }
}

type Button = NonNullable<NonNullable<Branding['components']>['buttonPrimary']>

/** The button with the strongest color, and the next one that looks different. */
function buttonsOf({ buttons }: PageStyles): readonly Button[] {
  const filled = buttons
    .filter(({ background, textColor }) => background !== undefined && textColor !== undefined)
    .toSorted((left, right) => strength(right) - strength(left))
    .map(({ background = '', textColor = '', borderRadius }) => ({ background, textColor, borderRadius }))
  return filled.filter((each, index) => filled.findIndex(({ background }) => background === each.background) === index)
}

function strength({ background, weight }: PageStyles['buttons'][number]): number {
  return weight * (0.1 + saturation(background ?? '#000000'))
}

function colorsOf(styles: PageStyles): NonNullable<Branding['colors']> & { readonly background: string } {
  const background = colorIn(styles.backgrounds) ?? '#FFFFFF'
  const textPrimary = colorIn(styles.texts)
  const link = colorIn(styles.links)
  const candidates = [
    ...buttonsOf(styles).map((each) => each.background),
    ...(link === undefined ? [] : [link]),
    ...styles.backgrounds.map(([color]) => color),
  ].filter((color) => color !== background && color !== textPrimary && saturation(color) > 0.2)
  const [primary, secondary, accent = secondary] = [...new Set(candidates)]
  const found = { primary, secondary, accent, textPrimary, link }
  return { ...Object.fromEntries(Object.entries(found).filter(([, color]) => color !== undefined)), background }
}

function colorIn(sums: PageStyles['backgrounds']): string | undefined {
  return sums.find(([color]) => hex.safeParse(color).success)?.[0]
}

/** Names of the fonts of a stack, without quotes and generic families. */
function stackOf(stack: string | undefined): string[] {
  const names = stack?.split(',').map((name) => name.trim().replaceAll(/^["']|["']$/g, '')) ?? []
  return names.filter(
    (name) =>
      name !== '' &&
      !/^(?:-apple-system|BlinkMacSystemFont|ui-.*|system-ui|(?:sans-)?serif|monospace|cursive|fantasy|emoji|math)$/i.test(
        name,
      ),
  )
}

function fontsOf({ families, headingFamilies }: PageStyles): readonly string[] {
  const first = [...families, ...headingFamilies].map(([stack]) => stackOf(stack)[0])
  return [...new Set(first.filter((name) => name !== undefined))].slice(0, 10)
}

function typographyOf({ families, headingFamilies, samples }: PageStyles): NonNullable<Branding['typography']> {
  const body = stackOf(families[0]?.[0])
  const heading = stackOf((headingFamilies[0] ?? families[0])?.[0])
  const kinds = Object.entries(samples).filter(([name]) => /^(?:h[1-6]|body)$/.test(name))
  const pick = <Value>(read: (style: z.output<typeof sample>) => Value): Record<string, Value> =>
    Object.fromEntries(kinds.map(([name, style]) => [name, read(style)]))
  return {
    fontFamilies: {
      ...(body[0] !== undefined && { primary: body[0] }),
      ...(heading[0] !== undefined && { heading: heading[0] }),
    },
    fontStacks: { body, heading },
    fontSizes: pick(({ size }) => size),
    lineHeights: pick(({ lineHeight }) => lineHeight),
    fontWeights: pick(({ weight }) => weight),
  }
}

/** Units of length that designs are built on, in pixels. */
const baseUnits = [8, 6, 5, 4] as const

function spacingOf({ paddings, radii }: PageStyles): NonNullable<Branding['spacing']> {
  const lengths = paddings.map(([length, count]) => [Number.parseFloat(length), count] as const)
  const all = lengths.reduce((sum, [, count]) => sum + count, 0)
  const fits = (unit: number): number =>
    lengths.reduce((sum, [length, count]) => sum + (length % unit === 0 ? count : 0), 0)
  const baseUnit = baseUnits.find((unit) => all > 0 && fits(unit) >= all * 0.6)
  const borderRadius = radii[0]?.[0]
  return { ...(baseUnit !== undefined && { baseUnit }), ...(borderRadius !== undefined && { borderRadius }) }
}

function imagesOf(styles: PageStyles, url: string): NonNullable<Branding['images']> {
  const urls = {
    logo: resolveUrl(styles.logo ?? styles.touchIcon, url),
    favicon: resolveUrl(styles.favicon, url),
    ogImage: resolveUrl(styles.ogImage, url),
  }
  return Object.fromEntries(Object.entries(urls).filter(([, each]) => each !== undefined))
}

function channels(color: string): readonly [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

/** From 0 for black to 1 for white. */
function lightness(color: string): number {
  const [red, green, blue] = channels(color)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 0 for grey to 1 for a pure color. */
function saturation(color: string): number {
  const all = channels(color)
  return Math.max(...all) - Math.min(...all)
}
