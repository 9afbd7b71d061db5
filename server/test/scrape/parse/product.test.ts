import { expect, test } from 'vitest'
import { parsePage } from '../../../src/scrape/parse/parsed-page.ts'
import { extractProduct } from '../../../src/scrape/parse/product/extract-product.ts'

const productOf = (html: string): unknown => extractProduct(parsePage(html, 'https://shop.test/p/1'))
const jsonLd = (data: unknown): unknown =>
  productOf(`<script type="application/ld+json">${typeof data === 'string' ? data : JSON.stringify(data)}</script>`)

const chair = {
  '@type': 'Product',
  name: 'Chair',
  brand: { '@type': 'Brand', name: 'Oak & Co' },
  description: 'To sit on.',
  sku: 'C-1',
  image: ['/chair.jpg', { '@type': 'ImageObject', url: 'https://cdn.test/2.jpg' }],
  offers: { '@type': 'Offer', price: '129.00', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
}

test('the product of JSON-LD has its price, availability and images', () => {
  expect(jsonLd({ '@context': 'https://schema.org', '@graph': [{ '@type': 'WebSite' }, chair] })).toEqual({
    title: 'Chair',
    brand: 'Oak & Co',
    url: 'https://shop.test/p/1',
    description: 'To sit on.',
    variants: [
      {
        sku: 'C-1',
        title: 'Chair',
        price: { amount: 129, currency: 'EUR', formatted: '€129.00' },
        availability: { inStock: true, text: 'InStock' },
        images: ['https://shop.test/chair.jpg', 'https://cdn.test/2.jpg'],
      },
    ],
  })
})

test('a group has a variant for each of its products', () => {
  const variant = (color: string, price: number): object => ({
    ...chair,
    color,
    offers: { '@type': 'Offer', price, priceCurrency: 'USD', availability: 'OutOfStock' },
  })
  const group = { '@type': 'ProductGroup', name: 'Chairs', hasVariant: [variant('red', 10), variant('blue', 12)] }

  expect(jsonLd([group])).toMatchObject({
    title: 'Chairs',
    variants: [
      { values: { color: 'red' }, price: { amount: 10 }, availability: { inStock: false, text: 'OutOfStock' } },
      { values: { color: 'blue' }, price: { amount: 12 } },
    ],
  })
})

test('offers of an aggregate are variants, and a list price is the original one', () => {
  const offer = {
    '@type': 'Offer',
    sku: 'a',
    priceSpecification: [
      { price: 80, priceCurrency: 'EUR' },
      { price: 100, priceCurrency: 'EUR', priceType: 'https://schema.org/ListPrice' },
    ],
  }
  const lowest = { '@type': 'AggregateOffer', lowPrice: '1,299.50', priceCurrency: 'EUR' }

  expect(
    jsonLd({ ...chair, offers: { '@type': 'AggregateOffer', offers: [offer, { ...offer, sku: 'b' }] } }),
  ).toMatchObject({
    variants: [{ sku: 'a', price: { amount: 80 }, sale: { originalPrice: { amount: 100 } } }, { sku: 'b' }],
  })
  expect(jsonLd({ ...chair, offers: lowest })).toMatchObject({ variants: [{ price: { amount: 1299.5 } }] })
})

test('microdata is read, with nested items', () => {
  const html = `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1>
    <div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><b itemprop="name">Glow</b></div>
    <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">1.299,00 €</span>
    <meta itemprop="priceCurrency" content="EUR"><link itemprop="availability" href="https://schema.org/PreOrder"></div></div>`

  expect(productOf(html)).toMatchObject({
    title: 'Lamp',
    brand: 'Glow',
    variants: [{ price: { amount: 1299, currency: 'EUR' }, availability: { inStock: false, text: 'PreOrder' } }],
  })
})

test('Open Graph properties are read', () => {
  const html = Object.entries({
    'og:type': 'product',
    'og:title': 'Rug',
    'product:price:amount': '49.9',
    'product:price:currency': 'GBP',
    'product:availability': 'in stock',
  }).map(([property, content]) => `<meta property="${property}" content="${content}">`)

  expect(productOf(html.join(''))).toMatchObject({
    title: 'Rug',
    variants: [{ price: { formatted: '£49.90' }, availability: { inStock: true, text: 'in stock' } }],
  })
})

test.each([
  ['no structured data', '<h1>Chair</h1><p>129 €</p>'],
  ['another kind of page', '<script type="application/ld+json">{"@type":"Article","name":"Chairs"}</script>'],
  ['a product without a name', '<script type="application/ld+json">{"@type":"Product"}</script>'],
  ['broken JSON', '<script type="application/ld+json">{"@type":"Product",</script>'],
  ['JSON that is no object', '<script type="application/ld+json">[null,1,"Product",[[]]]</script>'],
])('a page with %s has none', (_name, html) => {
  expect(productOf(html)).toBeUndefined()
})
