import type { Price } from 'bowline/contract/product'
import { lastSegment, list, numberOf, record, textValue, typesOf, type Node } from './node.ts'

/** An offer of a product. */
export interface Offer {
  readonly id?: string | undefined
  readonly sku?: string | undefined
  readonly name?: string | undefined
  readonly price?: Price | undefined
  readonly originalPrice?: Price | undefined
  readonly availability?: { readonly inStock: boolean; readonly text: string } | undefined
}

/** Reads the offers of a product. An aggregate offer without offers has its lowest price. */
export function offersOf(value: unknown): readonly Offer[] {
  return list(value).flatMap((each) => {
    const node = record(each)
    if (node === undefined) return []
    const inner = typesOf(node).includes('AggregateOffer') ? offersOf(node['offers']) : []
    return inner.length > 0 ? inner : [toOffer(node)]
  })
}

function toOffer(node: Node): Offer {
  const specifications = list(node['priceSpecification'])
    .map(record)
    .filter((each) => each !== undefined)
  const listed = specifications.find(({ priceType }) => /ListPrice|StrikethroughPrice/.test(textValue(priceType) ?? ''))
  const actual = specifications.find((each) => each !== listed)
  const currency = textValue(node['priceCurrency'] ?? actual?.['priceCurrency'] ?? listed?.['priceCurrency'])
  const price = priceOf(node['price'] ?? actual?.['price'] ?? node['lowPrice'], currency)
  const original = priceOf(listed?.['price'], currency)
  return {
    id: textValue(node['@id']),
    sku: textValue(node['sku']),
    name: textValue(node['name']),
    price,
    originalPrice: original?.amount === price?.amount ? undefined : original,
    availability: availabilityOf(node['availability']),
  }
}

function priceOf(value: unknown, currency: string | undefined): Price | undefined {
  const amount = numberOf(value)
  if (amount === undefined) return undefined
  return { amount, ...(currency !== undefined && { currency }), formatted: formatPrice(amount, currency) }
}

function formatPrice(amount: number, currency: string | undefined): string {
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency))
    return [amount.toFixed(2), currency ?? ''].join(' ').trim()
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount)
}

/** Values of schema.org's ItemAvailability with which a product can be bought now. */
const available = new Set(
  ['InStock', 'InStoreOnly', 'LimitedAvailability', 'OnlineOnly'].map((each) => each.toLowerCase()),
)

function availabilityOf(value: unknown): Offer['availability'] {
  const text = textValue(value)
  if (text === undefined) return undefined
  const name = lastSegment(text)
  // Open Graph writes `in stock` or `instock`.
  return { inStock: available.has(name.replaceAll(/[\s_]/g, '').toLowerCase()), text: name }
}
