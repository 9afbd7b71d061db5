function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.querySelector(`#${id}`)
  if (element instanceof kind) return element
  throw new Error(`The page has no element #${id}`)
}

/** The elements of the page that its scripts use. */
export const elements = {
  tabList: find('tab-list', HTMLDivElement),
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
  handoff: find('handoff', HTMLElement),
  handoffTab: find('handoff-tab', HTMLButtonElement),
  handoffAnswer: find('handoff-answer', HTMLFormElement),
  viewport: find('viewport', HTMLElement),
  screen: find('screen', HTMLDivElement),
  canvas: find('canvas', HTMLCanvasElement),
  keys: find('keys', HTMLTextAreaElement),
  choices: find('choices', HTMLUListElement),
  overlay: find('overlay', HTMLElement),
  dialog: find('dialog', HTMLDialogElement),
  notice: find('notice', HTMLParagraphElement),
} as const
