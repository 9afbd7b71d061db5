function prose(topic: string): string {
  return (
    `<p>This paragraph about ${topic} has several sentences, as articles do. It goes on for a while, because real text does. ` +
    `Nobody would take it for a menu, a button or a footer, since it is written in full sentences.</p>`
  )
}

function frame(title: string, head: string, content: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body>
<header class="site-header"><a href="/">Example Site</a><nav class="main-nav"><ul><li><a href="/news">News</a><li><a href="/shop">Shop</a><li><a href="/forum">Forum</a><li><a href="/about">About</a></ul></nav>
<form class="search"><input name="q"><button>Search</button></form></header>
${content}
<aside class="sidebar"><h3>Popular</h3><ul><li><a href="/p1">A popular thing</a><li><a href="/p2">Another popular thing</a></ul><div class="newsletter">Subscribe to our newsletter</div></aside>
<footer class="site-footer"><p>© 2026 Example Site. All rights reserved.</p><a href="/privacy">Privacy policy</a> <a href="/terms">Terms of use</a></footer>
<div class="cookie-banner">We use cookies. <button>Accept all</button></div></body></html>`
}

/** An article surrounded by the frame of a site: menu, sidebar, footer and cookie banner. */
export const articlePage = frame(
  'How rivers bend - Example Site',
  '<meta property="og:type" content="article"><meta name="description" content="Why rivers bend">',
  `<main><article class="post"><h1>How rivers bend</h1>${prose('meanders')}<figure><img src="/bend.jpg" alt="A bend"><figcaption>A river bend seen from above.</figcaption></figure>
${prose('erosion')}<h2>Oxbow lakes</h2>${prose('oxbow lakes')}${prose('sediment')}${prose('floods')}</article></main>`,
)

/** A thread of a forum, surrounded by the frame of a site. */
export const forumPage = frame(
  'Best bread flour? - Example Forum',
  '',
  `<div class="thread"><h1>Best bread flour?</h1>${['ada', 'ben', 'cleo', 'dan', 'eve']
    .map(
      (name) =>
        `<div class="post message"><div class="post-author"><a href="/u/${name}">${name}</a> <span class="user-title">Member</span></div><div class="post-body">${prose(`flour by ${name}`)}<p>Hope that helps you out, it did for me!</p></div><div class="post-actions"><a href="#">Reply</a> <a href="#">Like</a></div></div>`,
    )
    .join('\n')}</div>`,
)
