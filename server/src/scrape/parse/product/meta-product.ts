import type { Document } from 'domhandler'
import { visitElements } from '../dom-nodes.ts'
import type { Node } from './node.ts'

/** Returns the product that Open Graph properties describe, in the shape of JSON-LD. */
export function readMetaProduct(document: Document): readonly Node[] {
  const meta = new Map<string, string>()
  visitElements(document, ({ name, attribs }) => {
    const property = (attribs['property'] ?? attribs['name'])?.trim().toLowerCase()
    const content = attribs['content']?.trim()
    if (name === 'meta' && property !== undefined && content !== undefined && !meta.has(property))
      meta.set(property, content)
  })
  const amount = meta.get('product:price:amount') ?? meta.get('og:price:amount')
  if (amount === undefined && !/^(?:og:)?product/.test(meta.get('og:type') ?? '')) return []
  const product = {
    '@type': 'Product',
    name: meta.get('og:title'),
    description: meta.get('og:description'),
    url: meta.get('og:url'),
    image: meta.get('og:image'),
    brand: meta.get('product:brand') ?? meta.get('og:brand'),
    category: meta.get('product:category'),
    sku: meta.get('product:retailer_item_id'),
    offers:
      amount === undefined
        ? undefined
        : {
            price: amount,
            priceCurrency: meta.get('product:price:currency') ?? meta.get('og:price:currency'),
            availability: meta.get('product:availability') ?? meta.get('og:availability'),
          },
  }
  return [product]
}
