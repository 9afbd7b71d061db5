/** Berths of the demo harbour, shown on the page and assigned by the form. */
export const berths = [
  { name: 'North Quay', metres: 9, knot: 'bowline', why: 'a loop that holds any load and still comes undone' },
  { name: 'Old Pier', metres: 14, knot: 'clove hitch', why: 'quick to make fast on a post, quick to let go' },
  { name: 'Lighthouse Mole', metres: 22, knot: 'rolling hitch', why: 'grips a rope under strain without slipping' },
] as const

const style = `
  :root { --sea: #0d3b4f; --foam: #f4f1ea; --rope: #c58b3b; --ink: #14262e; color-scheme: light }
  * { box-sizing: border-box }
  body { margin: 0; font: 17px/1.6 Georgia, 'Liberation Serif', serif; color: var(--ink); background: var(--foam) }
  header { background: var(--sea); color: var(--foam); padding: 3rem 0 4.5rem; position: relative; overflow: hidden }
  header h1 { font-size: 2.6rem; line-height: 1.1; margin: 0 0 .4rem; font-weight: 500; letter-spacing: -.01em }
  header p { margin: 0; opacity: .85; max-width: 34rem }
  header svg { position: absolute; inset: auto 0 -1px 0; width: 100%; height: 48px; fill: var(--foam) }
  header > div, main { max-width: 46rem; margin: 0 auto; padding: 0 1.5rem }
  main { padding-block: 1.5rem; display: grid; gap: 2rem }
  h2 { font-size: 1.15rem; text-transform: uppercase; letter-spacing: .12em; color: var(--sea); margin: 0 0 .6rem }
  ul { list-style: none; padding: 0; margin: 0; display: grid; gap: .6rem }
  li { background: white; border-left: 5px solid var(--rope); padding: .7rem 1rem; display: flex; gap: 1rem;
       justify-content: space-between; align-items: baseline; box-shadow: 0 1px 3px #0002 }
  li small { color: #5c6b72 }
  li.taken { border-color: #9db0b8; opacity: .55 }
  form { background: white; padding: 1.2rem; display: grid; grid-template-columns: 1fr 8rem auto; gap: .8rem;
         align-items: end; box-shadow: 0 1px 3px #0002 }
  label { display: grid; gap: .2rem; font-size: .9rem }
  input, button { font: inherit; padding: .5rem .7rem; border: 1px solid #b9c6cb; border-radius: 3px; width: 100% }
  button { background: var(--rope); color: white; border-color: var(--rope); cursor: pointer }
  output { display: block; min-height: 1.6em; font-size: 1.15rem }
  @media (max-width: 34rem) { form { grid-template-columns: 1fr } }`

const script = `
  const output = document.querySelector('output')
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    output.textContent = 'Asking the harbour office …'
    output.removeAttribute('data-state')
    const response = await fetch('/berths', { method: 'POST', body: new URLSearchParams(new FormData(event.target)) })
    const { message, berth } = await response.json()
    for (const item of document.querySelectorAll('li')) item.classList.toggle('taken', item.dataset.berth === berth)
    output.textContent = message
    output.dataset.state = 'done'
  })`

const items = berths
  .map(
    ({ name, metres, knot }) =>
      `<li data-berth="${name}"><span>${name}</span><small>boats up to ${metres} m, made fast with a ${knot}</small></li>`,
  )
  .join('')

/** The page of the demo harbour: a list of berths, and a form that requests one with `fetch`. */
export const harbourPage = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Harbour Office</title>
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body>
  <header>
    <div><h1>Harbour Office</h1><p>Name your boat, and we find you a berth for tonight and the right knot.</p></div>
    <svg viewBox="0 0 1200 48" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 30 Q75 0 150 24 T300 24 T450 24 T600 24 T750 24 T900 24 T1050 24 T1200 24 V48 H0Z"/>
    </svg>
  </header>
  <main>
    <section><h2>Free tonight</h2><ul>${items}</ul></section>
    <section>
      <h2>Ask for a berth</h2>
      <form>
        <label>Name of the boat <input name="boat" required></label>
        <label>Length in metres <input name="metres" required inputmode="decimal"></label>
        <button type="submit">Ask</button>
      </form>
    </section>
    <section><output></output></section>
  </main>
  <script>${script}</script>
</body>
</html>
`
