import { z } from 'zod'

const text = z.string()
const button = z.looseObject({ background: text, textColor: text, borderRadius: text })

/** The look of a page, as its computed styles and its images show it. */
export const branding = z.looseObject({
  colorScheme: z.enum(['light', 'dark']).optional(),
  brandName: text.optional(),
  /** URL of the image. */
  logo: text.optional(),
  fonts: z.array(z.looseObject({ family: text })).optional(),
  /** Colors as `#RRGGBB`. */
  colors: z
    .looseObject({
      primary: text.optional(),
      secondary: text.optional(),
      accent: text.optional(),
      background: text.optional(),
      textPrimary: text.optional(),
      link: text.optional(),
    })
    .optional(),
  typography: z
    .looseObject({
      fontFamilies: z.looseObject({ primary: text.optional(), heading: text.optional() }),
      fontStacks: z.looseObject({ body: z.array(text).optional(), heading: z.array(text).optional() }),
      /** CSS lengths by `h1`, `h2` and `body`. */
      fontSizes: z.record(text, text),
      lineHeights: z.record(text, text),
      fontWeights: z.record(text, z.number()),
    })
    .optional(),
  spacing: z.looseObject({ baseUnit: z.number().optional(), borderRadius: text.optional() }).optional(),
  components: z
    .looseObject({
      buttonPrimary: button.optional(),
      buttonSecondary: button.optional(),
      input: z.looseObject({ borderColor: text, borderRadius: text }).optional(),
    })
    .optional(),
  images: z.looseObject({ logo: text.optional(), favicon: text.optional(), ogImage: text.optional() }).optional(),
})

export type Branding = z.output<typeof branding>
