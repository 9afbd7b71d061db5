function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.querySelector(`#${id}`)
  if (element instanceof kind) return element
  throw new Error(`The page lacks #${id}`)
}

/** The elements of the page that its scripts work with. */
export const elements = {
  tabs: find('tabs', HTMLDivElement),
  openTab: find('open-tab', HTMLButtonElement),
  status: find('status', HTMLParagraphElement),
  bar: find('bar', HTMLFormElement),
  travel: find('travel', HTMLSpanElement),
  back: find('back', HTMLButtonElement),
  forward: find('forward', HTMLButtonElement),
  reload: find('reload', HTMLButtonElement),
  address: find('address', HTMLInputElement),
  keyboard: find('keyboard', HTMLButtonElement),
  follow: find('follow', HTMLButtonElement),
  role: find('role', HTMLSpanElement),
  stage: find('stage', HTMLElement),
  sheet: find('sheet', HTMLDivElement),
  picture: find('picture', HTMLCanvasElement),
  keys: find('keys', HTMLTextAreaElement),
  choices: find('choices', HTMLUListElement),
  cover: find('cover', HTMLElement),
  dialog: find('dialog', HTMLDialogElement),
  notice: find('notice', HTMLParagraphElement),
} as const
