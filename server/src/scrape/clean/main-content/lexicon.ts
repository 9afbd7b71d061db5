/** Words in class names, ids and roles, grouped by the part of a page that they name. */
export const markGroups = {
  navigation:
    'nav navbar navigation menu menus breadcrumb breadcrumbs crumb crumbs pagination pager tabs toc submenu megamenu sitemap skip',
  footer: 'footer foot copyright legal bottom colophon footnotes imprint',
  header: 'header masthead topbar top banner hero toolbar',
  sidebar: 'sidebar side aside rail widget widgets secondary complementary',
  related:
    'related recommend recommended recommendations recommendation similar more popular trending also upsell cross readnext next prev previous latest recent',
  promotion:
    'ad ads advert advertisement sponsor sponsored promo promotion promotional affiliate callout cta teaser offer marketing',
  social: 'share sharing social follow facebook twitter linkedin addthis like likes reactions reaction',
  popup:
    'modal popup popover overlay dialog drawer cookie cookies consent gdpr toast flyout offcanvas tooltip dropdown notification alert notice banner onetrust',
  account: 'newsletter subscribe subscription signup signin login register account user profile optin mailing',
  meta: 'meta byline author date time info tags tag category categories label labels avatar rank badge badges published timestamp signature details stats count',
  comment: 'comment comments reply replies respond disqus discussion responses',
  post: 'post posts message messages thread topic topics answer answers question questions entry postbody bbwrapper',
  content:
    'content contents article main text body story copy rich prose markdown wysiwyg richtext editor section page primary container docs document documentation',
  description:
    'description desc detail summary excerpt intro lead lede abstract overview about features feature specs spec specification specifications faq accordion tab panel',
  product:
    'product products price prices sku variant variants option options swatch gallery shipping stock size color buy',
  review: 'review reviews rating ratings stars testimonial testimonials quote customer',
  list: 'list grid card cards item items tile tiles result results collection catalog listing feed row rows',
  slider: 'carousel slider slide slides slick swiper owl splide marquee',
  control:
    'button btn buttons form input filter filters facet facets sort search select quantity cart checkout wishlist compare action actions control controls field refine refinement picker',
  facet: 'filter filters facet facets facetbox refine refinement refinements plp sortby filterbox',
  overlay: 'fixed sticky takeover lightbox backdrop absolute inset minicart dropdown tooltip tippy popper',
  spec: 'spec specs specification specifications attribute attributes feature features highlights tech datasheet ingredients',
  accordion: 'accordion accordian accordions tab tabs tabpanel panel collapse collapsible expand toggle faq',
  hidden: 'hidden hide sr only visually screenreader invisible collapsed collapse noprint',
  figure: 'caption captions figure image images media video photo thumbnail thumb credit icon logo logos brand',
} as const

/** Name of a group of words. */
export type MarkGroup = keyof typeof markGroups

/** Names of all groups, in the order of their bits. */
export const markNames = Object.keys(markGroups) as readonly MarkGroup[]

const bitsByWord = new Map<string, number>()
for (const [bit, name] of markNames.entries()) {
  for (const word of markGroups[name].split(' ')) bitsByWord.set(word, (bitsByWord.get(word) ?? 0) | (1 << bit))
}

/** Returns the groups of the words in a class name, an id or a role, one bit per group. */
export function marksOf(names: string): number {
  let bits = 0
  for (const word of names.slice(0, 400).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [])
    bits |= bitsByWord.get(word.toLowerCase()) ?? 0
  return bits
}

const boilerplate = new Set(
  (
    'cookie cookies privacy terms subscribe newsletter sign signup login log register account copyright rights reserved ' +
    'share follow menu search cart checkout wishlist reply report comment comments login logout skip close open back next ' +
    'previous prev click here view read more related popular trending advertisement sponsored policy contact about help faq ' +
    'faqs careers sitemap home download app email password submit accept decline select filter sort clear apply show hide ' +
    'facebook twitter instagram linkedin youtube pinterest tiktok whatsapp join free shipping returns stock quantity add ' +
    'loading javascript browser enable print save posted views likes joined messages posts member reactions edited'
  ).split(' '),
)

/** Whether a lower-case word is typical of menus, forms and footers. */
export function isBoilerplate(word: string): boolean {
  return boilerplate.has(word)
}
