import type { SearchCategory } from 'bowline/contract/search'
import type { Category } from './provider.ts'
import { domainsOf } from './words.ts'

const sites: Readonly<Record<SearchCategory['type'], readonly string[]>> = {
  github: ['github.com'],
  research: [
    'arxiv.org',
    'nature.com',
    'science.org',
    'pubmed.ncbi.nlm.nih.gov',
    'ncbi.nlm.nih.gov',
    'biorxiv.org',
    'semanticscholar.org',
    'openreview.net',
    'aclanthology.org',
    'dl.acm.org',
    'ieeexplore.ieee.org',
    'link.springer.com',
    'sciencedirect.com',
    'plos.org',
    'doi.org',
  ],
  pdf: [],
  developer: [
    'developer.mozilla.org',
    'stackoverflow.com',
    'github.com',
    'docs.python.org',
    'nodejs.org',
    'docs.rs',
    'pkg.go.dev',
    'learn.microsoft.com',
    'docs.oracle.com',
    'npmjs.com',
    'pypi.org',
    'readthedocs.io',
  ],
}

/** Resolves a category of the API to its sites or file type. */
export function toCategory({ type }: SearchCategory): Category {
  return {
    name: type,
    domains: sites[type],
    isPdf: type === 'pdf',
  }
}

/** Finds the first category that a URL belongs to. */
export function categoryOf(url: string, categories: readonly Category[]): Category | undefined {
  const domains = domainsOf(url)
  const isPdf = /\.pdf$/i.test(URL.parse(url)?.pathname ?? '')
  return categories.find((category) =>
    category.isPdf ? isPdf : category.domains.some((domain) => domains.includes(domain)),
  )
}
