import { sleep } from 'bowline/kit/sleep'
import { rethrowAbort } from 'bowline/kit/abort'
import { evaluateFunction } from './evaluate.ts'
import type { NavigationWatch } from './navigate.ts'
import type { Tab } from './tab.ts'

/** Maximum wait for the first text of a page, in milliseconds. */
const maxWaitMs = 2000

const pollMs = 100

/**
 * Waits while a page whose scripts have not rendered anything yet is empty or shows only a message
 * such as "Loading…", at most two seconds or until `endMs` by `performance.now()`. Returns whether
 * it shows content.
 */
export async function waitForContent(tab: Tab, watch: NavigationWatch, endMs: number): Promise<boolean> {
  const lastMs = Math.min(endMs, performance.now() + maxWaitMs)
  while (!(await hasContent(tab))) {
    if (performance.now() >= lastMs) return false
    await sleep(pollMs, tab.signal)
    // The request for the content may have started.
    await watch.waitUntilIdle(endMs - performance.now())
  }
  return true
}

/** Whether a page shows content, or has no scripts that could still add some. */
export async function hasContent(tab: Tab): Promise<boolean> {
  try {
    return (await evaluateFunction(tab, contentProbe)) !== false
  } catch (error) {
    // The page is navigating.
    rethrowAbort(tab.signal, error)
    return false
  }
}

/** Messages of pages that are still loading, in the languages that most sites use. */
const loadingMessage =
  'loading|please wait|just a moment|wird geladen|lädt|laden|bitte warten|chargement|cargando|carregando|caricamento|' +
  'ładowanie|yükleniyor|загрузка|завантаження|加载中|正在加载|載入中|読み込み中|로딩 중|جار التحميل|جاري التحميل'

const marks = '[\\p{P}\\p{S}\\s]*'

/** Maximum length of a text that may be such a message, in characters. */
const maxMessageLength = 60

/**
 * Reads only pages with little text, so it is fast on all others. Text of a frame or an open shadow
 * tree is not part of `innerText`.
 */
const contentProbe = `() => {
  const text = (document.body?.innerText ?? '').trim()
  if (text.length > ${maxMessageLength} || document.scripts.length === 0) return true
  if (text !== '') return !/^${marks}(?:${loadingMessage})(?:[^.…]*(?:…|\\.{3}))?${marks}$/iu.test(text)
  if (document.querySelector('img, svg, canvas, video, audio, iframe, frame, object, embed, input') !== null) return true
  return [...document.querySelectorAll('*')].some(({ shadowRoot }) => shadowRoot !== null)
}`

/** Warning about a page without content. */
export const noContentWarning =
  'The page shows no content yet. If its scripts add it later, raise `waitFor`, or wait for a selector in `actions`.'
