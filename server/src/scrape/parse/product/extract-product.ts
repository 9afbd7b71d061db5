import type { Product } from 'bowline/contract/product'
import type { ParsedPage } from '../parsed-page.ts'
import { resolveUrl } from '../resolve-url.ts'
import { readJsonLd } from './json-ld.ts'
import { readMetaProduct } from './meta-product.ts'
import { readMicrodata } from './microdata.ts'
import { list, record, textValue, typesOf, type Node } from './node.ts'
import { offersOf, type Offer } from './offers.ts'

/**
 * Extracts the product that a page is about from its structured data: JSON-LD and microdata with
 * the vocabulary of schema.org, or the `product:` properties of Open Graph. Undefined if it has
 * none.
 */
export function extractProduct(page: ParsedPage): Product | undefined {
  for (const read of [readJsonLd, readMicrodata, readMetaProduct]) {
    const nodes = read(page.document)
    const node = nodes.find((each) => isType(each, 'ProductGroup')) ?? nodes.find((each) => isType(each, 'Product'))
    const product = node === undefined ? undefined : toProduct(node, page)
    if (product !== undefined) return product
  }
  return undefined
}

function isType(node: Node, type: string): boolean {
  return typesOf(node).includes(type)
}

function toProduct(node: Node, page: ParsedPage): Product | undefined {
  const title = textValue(node['name'])
  if (title === undefined) return undefined
  const models = list(node['hasVariant']).filter((each) => record(each) !== undefined) as readonly Node[]
  const variants = models.length > 0 ? models.flatMap((each) => variantsOf(each, page)) : variantsOf(node, page)
  return {
    title,
    ...defined('brand', textValue(node['brand'])),
    ...defined('category', textValue(node['category'])),
    url: resolveUrl(textValue(node['url']), page.base) ?? page.url,
    ...defined('description', textValue(node['description'])),
    variants,
  }
}

/** Maximum number of variants of a product. */
const maxVariants = 500

/** One variant per offer, or one without a price. */
function variantsOf(node: Node, page: ParsedPage): Product['variants'] {
  const offers = offersOf(node['offers'])
  const images = imagesOf(node, page)
  const values = valuesOf(node)
  const title = textValue(node['name'])
  const describe = (offer: Offer): Product['variants'][number] => ({
    ...defined('id', offer.id ?? textValue(node['productID']) ?? textValue(node['@id'])),
    ...defined('sku', offer.sku ?? textValue(node['sku'])),
    ...defined('title', offer.name ?? title),
    ...(Object.keys(values).length > 0 && { values }),
    ...defined('price', offer.price),
    ...(offer.originalPrice !== undefined && { sale: { originalPrice: offer.originalPrice } }),
    ...defined('availability', offer.availability),
    ...(images.length > 0 && { images }),
  })
  return (offers.length === 0 ? [{}] : offers).slice(0, maxVariants).map(describe)
}

/** Properties in which the variants of a product differ. */
const variesBy = ['color', 'size', 'material', 'pattern'] as const

function valuesOf(node: Node): Readonly<Record<string, string>> {
  const found = variesBy.map((name) => [name, textValue(node[name])] as const)
  return Object.fromEntries(
    found.filter((entry): entry is readonly [(typeof variesBy)[number], string] => entry[1] !== undefined),
  )
}

function imagesOf(node: Node, { base }: ParsedPage): string[] {
  const urls = list(node['image']).map((each) => {
    const image = record(each)
    return resolveUrl(textValue(image?.['contentUrl'] ?? image?.['url'] ?? each), base)
  })
  return [...new Set(urls.filter((url) => url !== undefined))]
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value }
}
