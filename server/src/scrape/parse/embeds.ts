import { Text, type ChildNode, type Document, type Element } from 'domhandler'
import { visitElements } from './dom-nodes.ts'
import { createElement, replaceNodes } from './edit-tree.ts'
import { resolveUrl } from './resolve-url.ts'

/** A video, post, song or code example of another site that a page shows in a frame. */
export interface Embed {
  /** Its page on the site it comes from, which people can open. */
  readonly url: string
  readonly title: string
}

interface Host {
  readonly name: string
  /** Matches the URL of the frame. Its first group is the id. */
  readonly pattern: RegExp
  readonly page: (id: string) => string
}

const hosts: readonly Host[] = [
  {
    name: 'YouTube video',
    pattern: /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{6,})/,
    page: (id) => `https://www.youtube.com/watch?v=${id}`,
  },
  {
    name: 'Vimeo video',
    pattern: /^https?:\/\/player\.vimeo\.com\/video\/(\d+)/,
    page: (id) => `https://vimeo.com/${id}`,
  },
  {
    name: 'Dailymotion video',
    pattern: /^https?:\/\/(?:www|geo)\.dailymotion\.com\/(?:embed\/video\/|player[^?]*\?video=)(\w+)/,
    page: (id) => `https://www.dailymotion.com/video/${id}`,
  },
  {
    name: 'Loom video',
    pattern: /^https?:\/\/(?:www\.)?loom\.com\/embed\/(\w+)/,
    page: (id) => `https://www.loom.com/share/${id}`,
  },
  {
    name: 'Post on X',
    pattern: /^https?:\/\/platform\.(?:twitter|x)\.com\/embed\/\S*?[?&]id=(\d+)/,
    page: (id) => `https://x.com/i/status/${id}`,
  },
  {
    name: 'Spotify',
    pattern: /^https?:\/\/open\.spotify\.com\/embed\/(\w+\/\w+)/,
    page: (id) => `https://open.spotify.com/${id}`,
  },
  {
    name: 'CodePen',
    pattern: /^https?:\/\/codepen\.io\/([\w-]+\/embed\/(?:preview\/)?\w+)/,
    page: (id) => `https://codepen.io/${id.replace(/\/embed\/(?:preview\/)?/, '/pen/')}`,
  },
]

/** Returns the embed that an `<iframe>`, `<lite-youtube>` or `<lite-vimeo>` shows. */
export function embedOf({ name, attribs }: Element): Embed | undefined {
  const id = attribs['videoid'] ?? ''
  if (name === 'lite-youtube' || name === 'lite-vimeo') {
    const host = hosts.find((each) => each.name.toLowerCase().startsWith(name.slice('lite-'.length)))
    return host === undefined || !/^[\w-]+$/.test(id)
      ? undefined
      : { url: host.page(id), title: attribs['playlabel'] ?? attribs['title'] ?? host.name }
  }
  if (name !== 'iframe') return undefined
  const source = attribs['src'] ?? ''
  const lazy = attribs['data-src'] ?? attribs['data-lazy-src'] ?? ''
  const address = resolveUrl(/^(?:https?:)?\/\//.test(source) ? source : lazy, 'https://embed.invalid')
  for (const host of hosts) {
    const found = host.pattern.exec(address ?? '')?.[1]
    if (found !== undefined) return { url: host.page(found), title: attribs['title']?.trim() || host.name }
  }
  return undefined
}

/** Replaces embeds with links to their pages, in paragraphs of their own. */
export function linkEmbeds(document: Document): void {
  const replacements = new Map<ChildNode, readonly ChildNode[]>()
  visitElements(document, (element) => {
    const embed = embedOf(element)
    if (embed !== undefined) replacements.set(element, [makeLink(embed)])
  })
  if (replacements.size > 0) replaceNodes(document, replacements)
}

function makeLink({ url, title }: Embed): Element {
  return createElement('p', {}, [createElement('a', { href: url }, [new Text(title)])])
}
